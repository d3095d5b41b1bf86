// Tests of datasets over HTTP: members, downloads in ranges, conditions.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { RunningService, scratchDir } from '../support/running-service.ts'

const content = Buffer.from(Array.from({ length: 40_000 }, (_, index) => `${index},name ${index}\r\n`).join(''))
const fileName = 'Größe "neu"\r\n.csv'
const downloads = ['original', 'data.csv', 'data.ndjson', 'data.parquet', 'parts/0.parquet', 'rejects.csv']

describe('datasets over HTTP', () => {
  let scratch: Awaited<ReturnType<typeof scratchDir>>
  let server: RunningService
  let id: string
  let sha256: string

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${server.url}${path}`, { method, headers })
  const upload = async (bytes: Buffer) => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'text/csv' }), fileName)
    const response = await fetch(`${server.url}/qas/uploadCsv`, { method: 'POST', body: form })
    return (await response.json()) as Record<string, unknown> & { id: string; file: { sha256: string } }
  }

  before(async () => {
    scratch = await scratchDir()
    server = await RunningService.start(scratch.path)
    const receipt = await upload(content)
    id = receipt.id
    sha256 = receipt.file.sha256
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })

  it('the receipt of an upload has its members in order, the stored one only those that do not change', async () => {
    const ofUpload = Object.keys(await upload(content))
    const stay =
      'createdAt,created,file,encoding,dialect,records,bytes,columns,rejects,parts,body,evidence,notes,verdict,links'
    assert.equal(ofUpload.join(), `id,duplicate,upload,${stay}`)
    const response = await get(`/qas/datasets/${id}`)
    assert.equal(response.headers.get('content-type'), 'application/json;charset=UTF-8')
    const receipt = (await response.json()) as { links: Record<string, string> }
    assert.equal(Object.keys(receipt).join(), `id,${stay}`)
    const { readings = '', query = '', corrections = '', ...pages } = receipt.links
    // Corrections are absent before some have been sent.
    assert.equal((await get(corrections)).status, 404)
    for (const link of Object.values(pages)) assert.equal((await get(link)).status, 200, link)
    const headers = { 'content-type': 'application/json' }
    const again = await fetch(new URL(readings, response.url), { method: 'POST', headers, body: '{"dialect":{}}' })
    assert.equal(again.status, 200)
    assert.equal(Object.keys((await again.json()) as object).join(), `id,duplicate,upload,${stay}`)
    const asked = await fetch(new URL(query, response.url), { method: 'POST', headers, body: '{"sql":"SELECT 7"}' })
    assert.deepEqual(((await asked.json()) as { rows: unknown }).rows, [[7]])
  })

  it('HEAD responds like GET without a body', async () => {
    for (const path of ['', '/rows', '/rejects', ...downloads.map((one) => `/${one}`)]) {
      const [head, full] = [
        await get(`/qas/datasets/${id}${path}`, {}, 'HEAD'),
        await get(`/qas/datasets/${id}${path}`),
      ]
      assert.equal(head.status, 200)
      assert.equal(await head.text(), '')
      for (const name of ['content-type', 'content-disposition', 'etag']) {
        assert.equal(head.headers.get(name), full.headers.get(name), `${name} of ${path}`)
      }
      await full.arrayBuffer()
    }
  })

  describe('the original', () => {
    it('is sent whole, with its validators and its name', async () => {
      const response = await get(`/qas/datasets/${id}/original`)
      assert.ok(Buffer.from(await response.arrayBuffer()).equals(content))
      assert.equal(response.headers.get('content-length'), String(content.length))
      assert.equal(response.headers.get('etag'), `"${sha256}"`)
      assert.equal(response.headers.get('repr-digest'), `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`)
      assert.equal(response.headers.get('content-type'), 'text/csv;charset=utf-8')
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
      assert.match(
        response.headers.get('content-disposition') ?? '',
        /^attachment; filename="[ -~]+"; filename\*=UTF-8''[!-~]+$/,
      )
    })

    it('is sent in ranges', async () => {
      for (const [range, start, end] of [
        ['bytes=0-0', 0, 1],
        ['bytes=10-19', 10, 20],
        [`bytes=${content.length - 1}-`, content.length - 1, content.length],
        ['bytes=-7', content.length - 7, content.length],
        [`bytes=-${content.length + 5}`, 0, content.length],
        [`bytes=5-${content.length + 5}`, 5, content.length],
        [`bytes=5-${'9'.repeat(30)}`, 5, content.length],
        ['Bytes= 5-6', 5, 7],
      ] as const) {
        const response = await get(`/qas/datasets/${id}/original`, { range })
        assert.equal(response.status, 206, range)
        assert.equal(response.headers.get('content-range'), `bytes ${start}-${end - 1}/${content.length}`)
        assert.ok(Buffer.from(await response.arrayBuffer()).equals(content.subarray(start, end)), range)
      }
    })

    it('is sent whole if the range is invalid, multiple, or of another version', async () => {
      for (const headers of [
        { range: 'lines=1-2' },
        { range: 'bytes=5-2' },
        { range: 'bytes=-' },
        { range: 'bytes=0-1,3-4' },
        { range: 'bytes=0-1', 'if-range': '"other"' },
      ]) {
        const response = await get(`/qas/datasets/${id}/original`, headers as Record<string, string>)
        assert.equal(response.status, 200, JSON.stringify(headers))
        assert.equal((await response.arrayBuffer()).byteLength, content.length)
      }
      const same = await get(`/qas/datasets/${id}/original`, { range: 'bytes=0-1', 'if-range': `"${sha256}"` })
      assert.equal(same.status, 206)
      await same.arrayBuffer()
    })

    it('gets 416 with its length for a range outside it', async () => {
      for (const range of [`bytes=${content.length}-`, `bytes=${'9'.repeat(30)}-`, 'bytes=-0']) {
        const response = await get(`/qas/datasets/${id}/original`, { range })
        assert.equal(response.status, 416)
        assert.equal(response.headers.get('content-range'), `bytes */${content.length}`)
        assert.equal(Object.keys((await response.json()) as object).length, 6)
      }
    })

    it('is sent only to a client that requests this version, also in ranges', async () => {
      for (const path of ['original', 'data.parquet', 'parts/0.parquet']) {
        const whole = await get(`/qas/datasets/${id}/${path}`)
        const tag = whole.headers.get('etag') ?? ''
        await whole.arrayBuffer()
        for (const [wanted, status] of [
          [tag, 200],
          ['*', 200],
          [`"x", ${tag}`, 200],
          ['"x"', 412],
          [`W/${tag}`, 412],
        ] as const) {
          for (const headers of [
            { 'if-match': wanted },
            { 'if-match': wanted, range: `bytes=${content.length * 9}-` },
          ]) {
            const isPast = 'range' in headers
            const response = await get(`/qas/datasets/${id}/${path}`, headers as Record<string, string>)
            assert.equal(response.status, status === 200 && isPast ? 416 : status, `${path} ${JSON.stringify(headers)}`)
            await response.arrayBuffer()
          }
        }
      }
    })

    it('is not sent to a client that has it', async () => {
      for (const known of [`"${sha256}"`, `W/"${sha256}"`, `"x", "${sha256}"`, '*']) {
        const response = await get(`/qas/datasets/${id}/original`, { 'if-none-match': known })
        assert.equal(response.status, 304, known)
        assert.equal(response.headers.get('etag'), `"${sha256}"`)
        assert.equal(response.headers.get('content-type'), null)
      }
      const other = await get(`/qas/datasets/${id}/original`, { 'if-none-match': '"x"' })
      assert.equal((await other.arrayBuffer()).byteLength, content.length)
    })
  })

  it('a receipt is compared with the one that the client has or means', async () => {
    const path = `/qas/datasets/${id}`
    for (const method of ['GET', 'HEAD']) {
      const ask = async (headers: Record<string, string>) => (await get(path, headers, method)).status
      const { headers } = await get(path, {}, method)
      const tag = headers.get('etag') ?? assert.fail('no ETag')
      assert.equal(headers.get('cache-control'), 'private, no-cache')
      assert.equal(await ask({ 'if-none-match': `"x", W/${tag}` }), 304)
      assert.equal(await ask({ 'if-none-match': '"x"', 'if-match': tag }), 200)
      assert.equal(await ask({ 'if-none-match': tag, 'if-match': '"x"' }), 412)
      const known = await get(path, { 'if-none-match': tag }, method)
      assert.deepEqual([known.headers.get('etag'), known.headers.get('content-type')], [tag, null])
    }
  })

  it('downloads have the type of their format, or application/octet-stream if the client prefers it', async () => {
    for (const [accept, prefersBytes] of [
      ['*/*', false],
      ['application/octet-stream', true],
      ['application/octet-stream, */*;q=0.5', true],
      ['text/html', false],
      ['text/csv, application/octet-stream;q=0.9, application/vnd.apache.parquet, application/x-ndjson', false],
    ] as const) {
      for (const path of downloads) {
        const response = await get(`/qas/datasets/${id}/${path}`, { accept }, 'HEAD')
        const type = response.headers.get('content-type')
        assert.equal(type === 'application/octet-stream', prefersBytes, `${path} as ${accept}: ${type}`)
        assert.equal(response.headers.get('vary'), 'accept')
      }
    }
  })

  it('DELETE honours If-Match', async () => {
    const { id: one } = await upload(Buffer.from('y\r\n1\r\n'))
    const path = `/qas/datasets/${one}`
    const etag = (await get(path)).headers.get('etag') ?? ''
    assert.match(etag, /^"[0-9a-f]{32}"$/)
    for (const wrong of ['"x"', `W/${etag}`, etag.slice(1, -1), '']) {
      const refused = await get(path, { 'if-match': wrong }, 'DELETE')
      assert.equal(refused.status, 412, wrong)
      assert.equal(((await refused.json()) as { exception: string }).exception, 'csvupload.PreconditionFailedException')
    }
    assert.equal((await get(path)).headers.get('etag'), etag)
    assert.equal((await get(path, { 'if-match': `"x", ${etag}` }, 'DELETE')).status, 204)
    assert.equal((await get(path, { 'if-match': '*' }, 'DELETE')).status, 404)
  })

  it('a bare flag means true, and JSON ends with a line feed', async () => {
    const bare = await get(`/qas/datasets/${id}/data.csv?header`)
    assert.deepEqual([bare.status, bare.headers.get('content-type')], [200, 'text/csv;charset=UTF-8;header=present'])
    await bare.arrayBuffer()
    for (const path of ['', '/rows', '/rejects', '/profile']) {
      assert.match(await (await get(`/qas/datasets/${id}${path}`)).text(), /[^\n]\n$/)
    }
  })
})
