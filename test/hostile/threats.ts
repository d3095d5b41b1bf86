// Threats: what a hostile client may try, the expected result, and the tests that verify it. `SECURITY.md` prints them.

export interface Threat {
  readonly number: number
  /** What a client sends or does. */
  readonly threat: string
  readonly expected: string
  /** `file: beginning of a test name in it`. */
  readonly tests: readonly string[]
  /** What no test can show, or only a longer run. */
  readonly beyond?: string
}

const threat = (number: number, what: string, expected: string, tests: readonly string[], beyond?: string): Threat => ({
  number,
  threat: what,
  expected,
  tests,
  ...(beyond !== undefined && { beyond }),
})

const cases = 'test/wire/cases.jsonl'
const parser = 'src/multipart/multipart-parser.test.ts'
const partHead = 'src/multipart/part-head.test.ts'
const fuzz = 'src/multipart/multipart-parser.fuzz.test.ts'
const typeTests = 'src/multipart/content-type.test.ts'
const heads = 'test/wire/head-tests.ts'
const connections = 'test/wire/connection-tests.ts'
const smuggling = 'test/hostile/smuggling.test.ts'
const parameters = 'test/hostile/parameters.test.ts'
const fileNames = 'test/hostile/file-names.test.ts'
const errorTexts = 'test/hostile/error-texts.test.ts'
const pages = 'test/system/hostile-pages.test.ts'
const access = 'test/system/access.test.ts'

/** In order of their numbers, from 1. */
export const threats: readonly Threat[] = [
  threat(1, 'no part named file', '400, the exact text of the contract', [`${cases}: 2a-other-file-part-no-file`]),
  threat(2, 'no boundary', '500 with the record of the contract, without waiting for the body', [
    `${cases}: 4a-form-data-no-boundary`,
    'test/wire/lingering-tests.ts: is complete for a client that reads only after it has sent everything',
  ]),
  threat(
    3,
    'an empty, long or strange boundary',
    'one rule: 1 to 1000 characters, anything else is 400 or no boundary',
    [
      `${typeTests}: readMultipartType() reports`,
      `${parser}: MultipartParser accepts boundaries of 1 to 1000 characters`,
    ],
  ),
  threat(4, 'a boundary that is costly to search for', 'time in proportion to the body', [
    'test/system/serial/multipart-time.test.ts: hostile bodies are read in time in proportion to their length',
  ]),
  threat(5, 'a body of nothing but delimiter prefixes', 'linear time, constant memory', [
    `${parser}: MultipartParser holds back no more than a delimiter line`,
    'test/system/serial/multipart-time.test.ts: hostile bodies are read in time in proportion to their length',
  ]),
  threat(6, 'a body that ends before its closing delimiter', '400 or no response, and nothing stored', [
    `${parser}: MultipartParser reports the same for`,
    'test/system/disconnects.test.ts: clients that disconnect at any point leave nothing behind',
  ]),
  threat(7, 'a part head that begins with a blank', '400', [`${partHead}: a first line that begins with a blank`]),
  threat(8, 'a part with an empty name', '400, no part named file', [`${cases}: 2i-name=`]),
  threat(9, 'malformed multipart of any kind', 'a refusal, never a crash or another 5xx', [
    `${fuzz}: MultipartParser reads or refuses mutated bodies alike, in any chunks`,
    'test/system/mutated-uploads.test.ts: mutated uploads are accepted or refused, and the service survives',
  ]),
  threat(10, 'thousands of aborts', 'descriptors, memory, children and files as before', [
    'test/system/disconnects.test.ts: many clients that disconnect at once leave nothing behind',
    'test/system/floods.test.ts: hundreds of clients that abort leave nothing behind',
  ]),
  threat(11, 'names in brackets, multipart within multipart', 'names are opaque; a nested file is 400', [
    `${cases}: 16q-nested-multipart_mixed-named-file`,
    'test/system/serial/multipart-time.test.ts: hostile bodies are read in time in proportion to their length',
  ]),
  threat(12, 'a header that makes a regular expression slow', 'time in proportion to the header', [
    `${typeTests}: readMultipartType() reads a hostile header in linear time`,
    'test/system/serial/multipart-time.test.ts: hostile part heads are read in time in proportion to their length',
  ]),
  threat(13, 'a million tiny parts', '400 at the limit of parts', [
    `${parser}: MultipartParser accepts as many parts as partsMax and no more`,
  ]),
  threat(14, 'a huge part head', '400 at 10,240 bytes or 64 lines', [
    `${parser}: MultipartParser accepts a part head of partHeadBytesMax bytes and no more`,
    `${partHead}: 65 header lines`,
  ]),
  threat(15, 'files left by aborts and crashes', 'none after the abort, none after a restart', [
    'test/system/disconnects.test.ts: clients that disconnect at any point leave nothing behind',
    'test/system/service-kills.test.ts: a service killed during uploads keeps all that is acknowledged',
  ]),
  threat(16, 'guessed names of unfinished files, links in their place', 'random names in a private directory', [
    'src/store/fs/fs-store.system.test.ts: createFsStore() lays out its directory as documented, readable by its owner only',
    'src/store/fs/fs-store.system.test.ts: publish() refuses a link in place of a file',
  ]),
  threat(17, 'two files, two dispositions, two names', '400; filename* wins over filename', [
    `${cases}: 12c-two-parts-named-file`,
    `${cases}: 12e-filename-and-filename*`,
    `${partHead}: Content-Disposition twice`,
  ]),
  threat(18, 'odd line ends, preambles, delimiters within content', 'RFC 2046; bare LF is 400', [
    `${cases}: 16m-LF-only-line-ends`,
    `${parser}: MultipartParser reads`,
    `${parser}: MultipartParser refuses`,
  ]),
  threat(19, 'Content-Transfer-Encoding', 'bytes are stored as sent', [
    'test/hostile/multipart.test.ts: a transfer encoding is not decoded',
  ]),
  threat(20, 'request smuggling by lengths, chunks and line ends', '400 to 431, nothing hidden is executed', [
    `${smuggling}: a request hidden behind`,
    `${heads}: are refused with a record`,
  ]),
  threat(21, 'two Host lines', '400', [`${smuggling}: two Host lines`, `${heads}: two Host lines`]),
  threat(22, 'a target with another host', '421 or 403', [
    `${smuggling}: a target of another host`,
    `${heads}: count by the target if it is in absolute form`,
  ]),
  threat(23, 'TRACE, CONNECT, unknown methods, upgrades', '405 with Allow; an upgrade is ignored', [
    `${heads}: other than POST are refused on the endpoint`,
    `${heads}: CONNECT is refused with a record`,
    `${heads}: an offer to upgrade is ignored`,
  ]),
  threat(24, 'a head of 20 KB, a thousand header lines', '431', [
    `${heads}: head of 20 KB`,
    `${heads}: 1100 header lines`,
  ]),
  threat(25, 'expectations', '417; no 100 before a refusal', [
    `${connections}: gets a refusal immediately, without 100, if the head alone is wrong`,
    `${connections}: of another kind is refused, but ignored for HTTP/1.0`,
  ]),
  threat(26, 'a declared length over the limit', '413 before the body, readable', [
    `${connections}: gets a refusal immediately, without 100, if the head alone is wrong`,
    'test/wire/lingering-tests.ts: declared too large',
  ]),
  threat(27, 'an endless chunked body', '413 at the limit, and the file is removed', [
    'src/service/upload/receive-file.test.ts: receiveFile() allows a body of exactly the limit and refuses one byte more',
    'test/system/floods.test.ts: an endless chunked body is refused at the limit and leaves nothing behind',
  ]),
  threat(28, 'a client that reads only after it has sent', 'it receives the complete refusal', [
    'test/wire/lingering-tests.ts: is complete for a client that reads only after it has sent everything',
    'test/wire/lingering-tests.ts: reaches curl',
  ]),
  threat(29, 'trickled heads', '408 at --headers-time; others are unaffected', [
    `${connections}: a head that never ends gets 408`,
    'test/system/slow-clients.test.ts: slow clients of every kind are cut, and others are served meanwhile',
  ]),
  threat(30, 'trickled bodies', '408 below --body-rate-min; the place goes to an upload that needs it', [
    `${connections}: a body that trickles gets 408 although no single wait is long`,
    'src/http/connection/request-body.test.ts: RequestBody.chunks() throws REQUEST_TIMEOUT when bytes drip below the rate',
    'test/system/slow-clients.test.ts: a slow body gives its place to an upload that needs it, and otherwise keeps it',
    'test/system/slow-clients.test.ts: slow clients of every kind are cut, and others are served meanwhile',
  ]),
  threat(31, 'downloads that are not read', 'cut, memory bounded', [
    'test/wire/http.test.ts: whose client does not read a download is cut',
    'test/wire/http.test.ts: whose client reads a download too slowly is cut',
    'test/system/slow-clients.test.ts: slow clients of every kind are cut, and others are served meanwhile',
  ]),
  threat(32, 'more connections than descriptors', 'they wait or are refused; the service survives', [
    'test/system/floods.test.ts: after more connections than descriptors, the service responds again',
    'test/system/floods.test.ts: frozen peers are disconnected, and their places are free again',
  ]),
  threat(33, 'forms and fetches by pages of other origins', '403', [
    `${pages}: pages of another origin in a browser change nothing and read nothing`,
    'src/http/access/cross-site.test.ts: checkSite()',
  ]),
  threat(34, 'Origin: null, JSON sent as text', '403; JSON routes require JSON', [
    `${heads}: requested by a page of another origin are refused before the body`,
    'src/http/exchange/json-body.test.ts: addJsonBody() refuses a body that is not JSON, or is not declared as JSON',
  ]),
  threat(35, 'DNS rebinding', '421 unless the name is allowed', [
    `${heads}: for another host name are refused before the body`,
    'src/http/access/cross-site.test.ts: checkHost() refuses any other name unless it is allowed',
  ]),
  threat(36, 'origins that ask to read responses', 'no Access-Control header, unless --allow-origin lists the origin', [
    'test/hostile/headers.test.ts: no origin is ever allowed to read a response',
    'test/hostile/every-route.test.ts: no route lets a page of another origin read its response',
  ]),
  threat(37, 'X-Forwarded headers', 'no link or host comes from them; addresses only from --trusted-proxies', [
    'test/hostile/headers.test.ts: forwarded headers have no effect',
  ]),
  threat(38, 'hostile file names', 'data only: generated paths, one safe header line', [
    `${fileNames}: files with hostile names are stored under paths of our own, and nothing outside appears`,
    `${fileNames}: names of random bytes are data or refused`,
  ]),
  threat(39, 'traversal by id', '404', [`${parameters}: an invalid id finds nothing`]),
  threat(40, 'download names with quotes and line ends', 'an attachment with one readable name', [
    'src/http/exchange/content-disposition.test.ts: attachment() is a header with one readable name whatever the client sent',
  ]),
  threat(41, 'markup in cells, names and errors', 'data only, never run', [
    'test/system/documents.test.ts: a browser that opens GET responses never runs markup in names, headers, cells and URLs',
    'test/hostile/headers.test.ts: no response can be run, framed or sniffed by a browser',
  ]),
  threat(42, 'HTML, SWF or PDF named .csv', 'refused, or an attachment that is never sniffed', [
    'test/hostile/headers.test.ts: no response can be run, framed or sniffed by a browser',
    'test/service/rejected-files.test.ts: as .csv is refused with 422 and says what it looks like',
  ]),
  threat(43, 'formulas in cells', 'stored as sent; escaped in the export for spreadsheets', [
    'src/csv/escape-formulas.test.ts: createFormulaEscape() puts an apostrophe before each start that OWASP lists',
    'test/service/downloads.test.ts: data.csv escapes formulas only on request',
  ]),
  threat(
    44,
    'compression bombs',
    '415 for a coded body, 413 for a file that decompresses to too much, 422 for an archive',
    [
      `${heads}: with a content coding is refused`,
      'src/compression/decompress.test.ts: to its limits',
      'test/system/compressed-files.test.ts: file that decompresses to more than the limit is refused with 413',
      'test/service/rejected-files.test.ts: a gzip file in a gzip file',
      `${fileNames}: files with hostile names are stored under paths of our own, and nothing outside appears`,
    ],
  ),
  threat(45, 'a million columns, endless lines and quotes', 'a response, in bounded memory', [
    'test/hostile/multipart.test.ts: files of hostile shape get a response',
    'test/slow/bounds.slow.ts: within the memory bounds',
  ]),
  threat(46, 'values that readers change', 'kept exactly, or text', [
    'test/hostile/surprises.test.ts: values that other readers change are typed as in the table, and exported as sent',
    'test/hostile/surprises.test.ts: a note names an encoding that readers often guess wrong, and the bytes are kept',
    'test/reading/types.test.ts: a receipt notes leading zeros with their lines',
    'src/columns/writer/column-writer.test.ts: createColumnWriter() writes the types and values that DuckDB finds in the same records, and the facts of a plain parser',
  ]),
  threat(
    47,
    'hostile Parquet, stored bytes that rot',
    'never read; each block of 64 KiB is verified before it is sent (what DuckDB reads: right before; for queries, or if it is more than 64 MB, at most 60 s before)',
    [
      'test/service/rejected-files.test.ts: a Parquet file',
      'test/system/damaged-files.test.ts: is refused, and served again once it is restored',
    ],
  ),
  threat(48, 'SQL that tries to escape', 'none does', [
    'test/system/query-limits.test.ts: statements that try to escape are refused, and nothing outside is read or changed',
    'src/engine/query/locked-table.test.ts: readOnlyStatement() and lockIn() withstand every statement that tries to get out',
    'src/engine/query/locked-table.test.ts: connectReadOnly() shows a statement nothing of those before it',
    'src/engine/query/query-runner.system.test.ts: createQueryRunner() keeps a process for the next query of the same owner over the same publish, and no other',
    'test/system/query-processes.test.ts: the processes of an owner end when a key is revoked',
    'src/engine/query/statement-uses.test.ts: a function that waits, logs, counts or reads settings is refused anywhere in a statement',
    'test/system/serial/hostile-child.test.ts: a query process that sends anything before its query ends alone, and another takes its place',
  ]),
  threat(49, 'SQL that needs too much', 'ended in time and within its memory', [
    'test/system/query-limits.test.ts: statements that need too much end in time and within their memory',
    'test/system/serial/hostile-child.test.ts: a query that fills its directory with many files is ended',
    'test/system/fair-shares.test.ts: an address whose queries run long, or are never read, leaves places for the queries of others',
  ]),
  threat(50, 'URLs in SQL', 'refused', [
    'test/system/query-limits.test.ts: statements that try to escape are refused, and nothing outside is read or changed',
  ]),
  threat(
    51,
    'URLs in requests',
    'no import by URL; the operator names the databases for copies; the one webhook is the operator’s, signed, and reaches public addresses only',
    [
      'test/hostile/headers.test.ts: an address in a request is never fetched',
      "test/system/copies.test.ts: a table that is not from this owner's copies is not changed",
      'src/webhook/webhook.test.ts: Webhook.send() refuses non-public addresses, by number and by name, even if a name changes',
    ],
  ),
  threat(52, 'guessed keys', '401, then 429; digests compared in constant time', [
    `${access}: guessing keys gets 429, and a valid key is still accepted`,
    'src/access/access.test.ts: KeyRing finds the caller by the secret only',
    'src/access/access.test.ts: KeyRing compares a secret with every key in constant time, whichever key matches',
    'src/http/access/authorize.test.ts: RequestLimit ignores jumps of the wall clock',
  ]),
  threat(53, "another owner's dataset or upload, or another key's without the scope `read`", '404, or 403', [
    "test/hostile/every-route.test.ts: no route finds another owner's dataset or upload, and no cache may store an error",
    'test/hostile/scopes.test.ts: no route shows a key without read what another key has sent',
  ]),
  threat(54, 'secrets in URLs and logs', 'in neither', [
    'test/system/log.test.ts: the log of a whole run has one JSON line per request, and nothing that a client sent',
    'test/system/log.test.ts: unreadable requests leave one line each, and nothing that a client sent',
  ]),
  threat(55, 'line ends and escapes in logs', 'lines of JSON; escaped at a terminal', [
    'test/system/log.test.ts: the log of a whole run has one JSON line per request, and nothing that a client sent',
    'test/hostile/headers.test.ts: a client cannot start a line of the log',
    'test/hostile/headers.test.ts: nobody can start a line of the pretty log, or act on the terminal that shows it',
  ]),
  threat(56, '__proto__ and its like', 'names like any other', [
    `${parameters}: members named like those of every object are ordinary names`,
  ]),
  threat(57, 'invalid or repeated numbers', '400 that names the parameter', [
    `${parameters}: a number that is invalid or repeated is refused by name`,
  ]),
  threat(58, 'resumable uploads with wrong lengths and offsets', 'refused without effect; 405 or 415 elsewhere', [
    'test/service/resumable-uploads.test.ts: a wrong offset is refused with the right one, and changes nothing',
    'test/service/resumable-uploads.test.ts: a length that changes, or is not met, is refused',
    'test/hostile/headers.test.ts: requests of resumable protocols have no effect',
  ]),
  threat(59, 'a full disk', '507, nothing partly stored, space freed afterwards', [
    'test/system/disk-full.test.ts: an upload that fills the disk is refused with 507, keeps nothing, and frees its space',
    `${access}: a quota applies to each owner, by declared and by actual size`,
  ]),
  threat(60, 'poisoning datasets found by content', 'SHA-256 of the received bytes, per owner', [
    `${access}: the same file from two owners gives two datasets, and deleting one leaves the other`,
    'src/service/upload/dataset-id.test.ts: datasetId()',
  ]),
  threat(61, 'errors that reveal internals', 'no path, SQL, stack or internal name', [
    `${errorTexts}: a refusal reveals no internals`,
    `${errorTexts}: a damaged store does not reveal where it is`,
  ]),
  threat(62, 'cache deception, hundreds of ranges', 'private responses are not stored; several ranges get the whole', [
    'test/wire/datasets.test.ts: is sent whole if the range is invalid, multiple, or of another version',
    'test/hostile/headers.test.ts: private responses are not stored by shared caches',
    'test/hostile/every-route.test.ts: no route except the public ones responds without a key, and no cache may store an error',
  ]),
  threat(
    63,
    'a dependency that changes',
    'exact versions, hashes, no install scripts',
    [
      'test/house/imports.test.ts: each dependency is used in one folder, and listed here',
      'test/hostile/supply.test.ts: every dependency is pinned, with the hash of its content',
      'test/hostile/supply.test.ts: no dependency runs a script during installation, and no shipped one has any',
      'test/hostile/supply.test.ts: the SBOM names every dependency of the service with its version and the hash of its content',
    ],
    'registry signatures (npm audit signatures) need the network',
  ),
  threat(64, 'a Node without security fixes', 'a pinned Node of a line that gets them', [
    'test/hostile/supply.test.ts: the running Node is the pinned one',
    'test/hostile/supply.test.ts: an old Node starts the pinned one; if there is none, it says in one line what is needed',
  ]),
  threat(65, 'a bug that throws', '500 if a response is possible; otherwise the process ends and loses nothing', [
    'test/wire/http.test.ts: gets a response with a fixed text, and is logged with its cause',
    'test/wire/http.test.ts: does not affect other requests',
    'test/system/unhandled-errors.test.ts: an unhandled rejection ends no request and no service',
    'test/system/unhandled-errors.test.ts: a throw outside requests ends the service, and loses nothing acknowledged',
  ]),
]
