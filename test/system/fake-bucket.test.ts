// Tests of the fake bucket: every command is answered as by a real S3 server.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { type Command, FakeBucket } from '../support/fake-bucket.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'

/** Sends one command after the other; each may use the upload that the last multipart has begun. */
type Send = (command: Command) => Promise<object>

interface Reply {
  readonly ETag?: string
  readonly Body?: AsyncIterable<Uint8Array>
  readonly ContentLength?: number
  readonly LastModified?: Date
  readonly UploadId?: string
  readonly IsTruncated?: boolean
  readonly NextContinuationToken?: string
  readonly Contents?: readonly { readonly Key: string; readonly Size: number; readonly ETag: string }[]
  readonly CommonPrefixes?: readonly { readonly Prefix: string }[]
  readonly Uploads?: readonly { readonly Key: string }[]
}

if (noS3Server !== undefined) test('the fake bucket', { skip: noS3Server }, () => {})
else {
  const server = await startS3Server()
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  after(async () => {
    client.destroy()
    await server[Symbol.asyncDispose]()
  })
  test('FakeBucket answers every command as a real S3 server does', async () => {
    const fake = new FakeBucket()
    const real = await transcript((command) => client.send(command as never))
    assert.deepEqual(await transcript(async (command) => fake.send(command)), real)
    assert.ok(real.length > 40)
  })
}

/** What is answered to a conversation that tries each command, each condition, and each of them in vain. */
async function transcript(send: Send): Promise<readonly unknown[]> {
  const said: unknown[] = []
  const at = (Key: string) => ({ Bucket: 'datasets', Key })
  const ask = async (title: string, command: Command): Promise<Reply> => {
    try {
      const reply = (await send(command)) as Reply // of one of the commands below
      said.push([title, await seen(reply)])
      return reply
    } catch (error) {
      if (!(error instanceof S3ServiceException)) throw error
      said.push([title, error.$metadata.httpStatusCode])
      return {}
    }
  }
  const put = (key: string, text: string, conditions: object = {}) =>
    ask(
      `put ${key} ${text} ${JSON.stringify(conditions)}`,
      new PutObjectCommand({ ...at(key), Body: Buffer.from(text), ...conditions }),
    )
  const get = (key: string, more: object = {}) =>
    ask(`get ${key} ${JSON.stringify(more)}`, new GetObjectCommand({ ...at(key), ...more }))
  const list = (more: object) =>
    ask(`list ${JSON.stringify(more)}`, new ListObjectsV2Command({ Bucket: 'datasets', ...more }))
  const [one, two] = ['one', 'two'].map(etagOf)

  await get('a')
  await ask('head of none', new HeadObjectCommand(at('a')))
  await put('a', 'two', { IfMatch: one })
  await put('a', 'one', { IfNoneMatch: '*' })
  await put('a', 'two', { IfNoneMatch: '*' })
  await get('a')
  await put('a', 'two', { IfMatch: two })
  await put('a', 'two', { IfMatch: one })
  await put('a', 'one', { IfMatch: one })
  await get('a', { Range: 'bytes=1-' })
  await get('a', { Range: 'bytes=0-0' })
  await get('a', { Range: 'bytes=9-' })
  await get('a', { IfMatch: one })
  await get('a', { IfMatch: two })
  await ask('head', new HeadObjectCommand(at('a')))
  await ask('delete another', new DeleteObjectCommand({ ...at('a'), IfMatch: one }))
  await get('a')
  await ask('delete the same', new DeleteObjectCommand({ ...at('a'), IfMatch: two }))
  await get('a')
  await ask('delete none', new DeleteObjectCommand(at('a')))
  await ask('delete none of an ETag', new DeleteObjectCommand({ ...at('a'), IfMatch: two }))
  await put('empty', '')
  await get('empty')
  for (const key of ['p/b/2', 'p/b/1', 'p/a', 'p/c/1', 'q/1', 'p/B']) await put(key, key)
  await list({ Prefix: 'p/' })
  await list({ Prefix: 'p/', StartAfter: 'p/b/1' })
  await list({ Prefix: 'p/', Delimiter: '/' })
  await list({ Prefix: 'none/' })
  const page = await list({ Prefix: 'p/', MaxKeys: 2 })
  said.push(typeof page.NextContinuationToken)
  await list({ Prefix: 'p/', MaxKeys: 2, ContinuationToken: page.NextContinuationToken })
  const Objects = ['p/a', 'p/none', 'p/b/1'].map((Key) => ({ Key }))
  await ask('delete many', new DeleteObjectsCommand({ Bucket: 'datasets', Delete: { Objects, Quiet: true } }))
  await list({ Prefix: 'p/' })
  await multiparts(ask, at)
  return said
}

async function multiparts(
  ask: (title: string, command: Command) => Promise<Reply>,
  at: (key: string) => { readonly Bucket: string; readonly Key: string },
): Promise<void> {
  const bodies = [Buffer.alloc(5_242_880, 'a'), Buffer.from('end')]
  const uploads = () => ask('list multiparts', new ListMultipartUploadsCommand({ Bucket: 'datasets', Prefix: 'm/' }))
  const begun = await ask('begin', new CreateMultipartUploadCommand(at('m/1')))
  const upload = { ...at('m/1'), UploadId: begun.UploadId }
  const Parts: { PartNumber: number; ETag: string | undefined }[] = []
  for (const [i, Body] of bodies.entries()) {
    const part = await ask(`part ${i + 1}`, new UploadPartCommand({ ...upload, PartNumber: i + 1, Body }))
    Parts.push({ PartNumber: i + 1, ETag: part.ETag })
  }
  await ask('head before the end', new HeadObjectCommand(at('m/1')))
  await uploads()
  const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } })
  await ask('complete', complete)
  await ask('head of the whole', new HeadObjectCommand(at('m/1')))
  await uploads()
  const other = await ask('begin another', new CreateMultipartUploadCommand(at('m/2')))
  await ask('abort', new AbortMultipartUploadCommand({ ...at('m/2'), UploadId: other.UploadId }))
  await ask(
    'part of an aborted one',
    new UploadPartCommand({ ...at('m/2'), UploadId: other.UploadId, PartNumber: 1, Body: 'x' }),
  )
  await uploads()
}

/** What the store reads of a response. The ETag of an object made of parts is the server's own. */
async function seen(reply: Reply): Promise<unknown> {
  const { ETag, Body, ContentLength, LastModified, IsTruncated = false } = reply
  const { Contents = [], CommonPrefixes = [], Uploads = [] } = reply
  return {
    etag: ETag?.includes('-') ? 'of parts' : ETag,
    body: Body && Buffer.concat(await Array.fromAsync(Body)).toString(),
    bytes: ContentLength,
    modified: LastModified && LastModified.getTime() % 1_000 === 0,
    isTruncated: IsTruncated,
    objects: Contents.map(({ Key, Size, ETag: etag }) => [Key, Size, etag]),
    folders: CommonPrefixes.map(({ Prefix }) => Prefix),
    uploads: Uploads.map(({ Key }) => Key),
  }
}

function etagOf(text: string): string {
  return `"${createHash('md5').update(text).digest('hex')}"`
}
