// Tests of content types: which headers are multipart, with which boundary, and which are malformed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { isNestedType, readMultipartType } from './content-type.ts'

const multipart = (boundary: string) => ({ kind: 'multipart', boundary })
const noBoundary = { kind: 'no-boundary' }
const other = { kind: 'other' }

const cases: readonly (readonly [header: string | undefined, expected: object])[] = [
  ['multipart/form-data; boundary=BnD', multipart('BnD')],
  ['multipart/form-data;boundary=BnD', multipart('BnD')],
  ['\tMULTIPART/Form-Data ;  BOUNDARY=BnD ', multipart('BnD')],
  ['multipart/mixed; boundary=BnD', multipart('BnD')],
  ['multipart/*; boundary=BnD', multipart('BnD')],
  ['multipart/form-datax; boundary=BnD', multipart('BnD')],
  ['multipart/form-data; boundary="BnD"', multipart('BnD')],
  ['multipart/form-data; boundary="a b;c"', multipart('a b;c')],
  ['multipart/form-data; boundary="a\\"b\\\\c"', multipart('a"b\\c')],
  ["multipart/form-data; boundary=a'()+_-./:?z", multipart("a'()+_-./:?z")],
  ['multipart/form-data; boundary=a=b=c', multipart('a=b=c')],
  ['multipart/form-data; boundary=a,b', multipart('a,b')],
  ['multipart/form-data; boundary = BnD', multipart('BnD')],
  ['multipart/form-data; boundary = "BnD" ;', multipart('BnD')],
  ['multipart/form-data; charset=bogus; boundary=BnD', multipart('BnD')],
  ['multipart/form-data; boundary=BnD; charset="a;b"', multipart('BnD')],
  ['multipart/form-data;; junk; boundary=BnD', multipart('BnD')],
  ['multipart/form-data; charset=utf-8; charset=latin1; boundary=BnD', multipart('BnD')],
  ['multipart/form-data; x; boundary=BnD; X=1', multipart('BnD')],
  ['multipart/form-data; boundary=caf\xe9', multipart('caf\xe9')],
  [`multipart/form-data; boundary=${'b'.repeat(999)}`, multipart('b'.repeat(999))],
  [`multipart/form-data; boundary=${'b'.repeat(1000)}`, multipart('b'.repeat(1000))],

  ['multipart/form-data', noBoundary],
  ['multipart/form-data;', noBoundary],
  ['multipart/*', noBoundary],
  ['multipart/form-data; boundary=', noBoundary],
  ['multipart/form-data; boundary=""', noBoundary],
  ['multipart/form-data; boundary', noBoundary],
  ['multipart/form-data; xboundary=BnD', noBoundary],
  ['multipart/form-data; x="boundary=BnD"', noBoundary],
  ['multipart/form-data; boundary*0=re;boundary*1=al', noBoundary],
  ["multipart/form-data; boundary*=utf-8''BnD", noBoundary],

  [undefined, other],
  ['', other],
  ['abc', other],
  ['*/*', other],
  ['text/csv; boundary=BnD', other],
  ['multipart', other],
  ['multipart/; boundary=BnD', other],
  ['multi-part/form-data; boundary=BnD', other],
  ['xmultipart/form-data; boundary=BnD', other],
  ['multipart/form-data boundary=BnD', other],
]

for (const [header, expected] of cases) {
  const [sent, read] = [header, expected].map((one) => JSON.stringify(one)?.slice(0, 80))
  test(`readMultipartType() reads ${sent} as ${read}`, () => {
    assert.deepEqual(readMultipartType(header), expected)
  })
}

for (const [header, problem] of [
  ['multipart/form-data; boundary=real; boundary=fake', /'boundary' is given twice/],
  ['multipart/form-data; boundary=same; Boundary=same', /'boundary' is given twice/],
  ['multipart/form-data; boundary; boundary=real', /'boundary' is given twice/],
  ['multipart/form-data; boundary="BnD', /quote in the wrong place/],
  ['multipart/form-data; boundary="BnD"x', /quote in the wrong place/],
  ['multipart/form-data; boundary=B"n"D', /quote in the wrong place/],
  [`multipart/form-data; boundary=${'b'.repeat(1001)}`, /1001 characters, expected at most 1000/],
  ['multipart/form-data; boundary="a\r\nb"', /control character/],
  ['multipart/form-data; boundary=a\x7f', /control character/],
] as const) {
  test(`readMultipartType() reports ${JSON.stringify(header).slice(0, 80)} as malformed`, () => {
    const type = readMultipartType(header)
    assert.equal(type.kind, 'bad')
    assert.match(type.kind === 'bad' ? type.problem : '', problem)
  })
}

test('readMultipartType() reads a hostile header in linear time', () => {
  const ms = cpuMs(() => {
    for (const piece of ['"', '\\"', ';"', ' ', '= ', ' ;', '"\\'])
      readMultipartType(`multipart/form-data; boundary=${piece.repeat(32_768)}`)
  })
  assert.ok(ms < 2_000, 'seven headers of 64 KB took over 2 s')
})

test('isNestedType() recognizes the type of a part that contains further files', () => {
  for (const type of ['multipart/mixed; boundary=x', ' Multipart/Mixed, boundary=x', 'multipart/mixed']) {
    assert.equal(isNestedType(type), true, type)
  }
  for (const type of [null, '', 'text/csv', 'application/multipart/mixed', 'multipart/related', 'multipart/mixedx']) {
    assert.equal(isNestedType(type), false, String(type))
  }
})
