// Modules: the modules of the torture, in order. Each is in a file of its name, which exports `run`.

/** `short` takes at most a minute and shows that the module works; `long` gives the published results. */
export type Scale = 'short' | 'long'

/** Throws on a violation; resolves to the results, whose names appear in the docs. */
export type Run = (scale: Scale, seed: number) => Promise<Readonly<Record<string, number | string>>>

export const modules: readonly { readonly name: string; readonly what: string }[] = [
  {
    name: 'crash',
    what: 'A process that publishes, records and removes datasets is killed at every system call that changes the disk, including its sweep at start, and at random moments. After each kill, the store is opened and compared with what was acknowledged.',
  },
  {
    name: 'kills',
    what: 'A service of thousands of datasets, and its child processes, are killed while eight clients upload by form, chunked form and tus, break off, resume and cancel, delete, and make readings and corrections; each upload is to be copied into a PostgreSQL that is mostly away. After each start, what was acknowledged is listed, stored and served bit for bit, what was deleted is gone, keys replay their response, and nothing else is on disk; in the end, each upload is in the database or still to be copied. As a control, the same must fail with requests for copies in memory.',
  },
  {
    name: 'thousands',
    what: 'A service of thousands of datasets, unfinished resumable uploads, keys, ended uploads and requests for copies ends cleanly or is killed, also while datasets come and go; its directory is copied; its index is missing, damaged, older, or lacks datasets; receipts are damaged; directories without receipts are added. After each start, the datasets of the directory, but for the damaged ones, are those in the list, a thousand of them are found by id (after the last start, all), and so are all others. As a control, the same must fail with an index whose batches lose what is read meanwhile.',
  },
  {
    name: 'mixed-clients',
    what: 'Twenty-four clients send the same seven files at once, whole, cut, chunked, by tus, with keys and wrong schemas; they delete, read, cancel and break off. None may get a 5xx or no response, the process may report nothing on standard error, and each dataset that is left must be sound. As a control, the same must fail with the fault that left the files of refused uploads open, which this run has found.',
  },
  {
    name: 'power-loss',
    what: 'The disk writes of such a process are replayed as power loss may leave them, after any step: what was not synced is lost, kept, partly kept or torn. The store is opened on each state. As a control, the same check must fail on disks that ignore syncs.',
  },
  {
    name: 'service-power-loss',
    what: 'The same for the whole service, including the writes of DuckDB, while it accepts uploads and deletes one under strace. On each state, every file that a receipt names is compared with its SHA-256.',
  },
  {
    name: 'io-errors',
    what: 'Each file call of a store, and of a whole service with its converters while it uploads, reads and deletes, fails once with each of EIO, ENOSPC, EINTR, EACCES, EMFILE and EROFS that it can return; reads and writes also do half of their work. What got a 2xx response is complete and survives a restart, nothing else is partly there, and no file is synced again after its sync failed.',
  },
  {
    name: 'bit-flips',
    what: 'One bit of a stored file (original, part, table of rejects, checksums, receipt, cached profile) is flipped, without changing its times. A process that has verified the file before must find the damage before it sends a byte of that block, and still serve other blocks.',
  },
  {
    name: 'bucket-commits',
    what: 'Eight stores on one bucket of a real S3 server publish the same dataset within milliseconds of each other; two of them lose a tenth of the responses to their commits. Exactly one must publish the dataset; the others must find it and leave no files.',
  },
  {
    name: 'replicas',
    what: 'Processes that share the bucket of a real S3 server are killed while clients send, delete and read. After each start, what was acknowledged is listed and served, what was deleted is gone, and the bucket holds exactly what the receipts name.',
  },
  {
    name: 'columns',
    what: 'Generated tables of nasty values, most of a few records, some of tens of thousands, are ingested as by the service. DuckDB reads the same texts with the rules in SQL. Types, formats, null words, notes, all values, nulls, and minimum and maximum in the statistics of the parts must be equal. With the same `SEED`, an interrupted run continues.',
  },
  {
    name: 'exports',
    what: 'Random tables of few distinct texts, closed under quoting, with every type, nulls and rejects, in six dialects and three encodings, are sent as a form, by tus and as a reading, and corrected. `data.csv`, typed CSV, NDJSON, Parquet, rows, SQL and rejects are compared, cell by cell, with what a reader that shares nothing with the product finds in the original. As a control, each table must fail with the dictionary that took a text for one with its quotes removed: `npm run test:mutants -- --only dictionary-text-without-its-quotes-in-exports`.',
  },
  {
    name: 'pages',
    what: 'Pages of another origin in Chromium try to send, change, delete and read: by fetch, beacon, form, frame, script, another port, another name, DNS rebinding.',
  },
  {
    name: 'multipart',
    what: 'The multipart parser reads generated and mutated bodies, whole and split at random. The results are compared with those of regular expressions.',
  },
  {
    name: 'mutated-uploads',
    what: 'Uploads with mutated types, bodies and chunks are sent to a running service, after a corpus of earlier finds. Each is accepted, or refused with an error record, and leaves nothing behind.',
  },
  {
    name: 'slow-clients',
    what: 'Clients trickle heads and bodies, or do not read their downloads, all at once, while uploads of 4.2 MB are sent one after another. None of the uploads may fail, their 99th percentile may at most double, and the server may take at most 64 MB more than without slow clients.',
  },
  {
    name: 'floods',
    what: 'More connections than descriptors; thousands of aborted uploads; clients whose process is frozen; an endless body; 64 uploads of 100 MB at once, for which the server may take 256 MB. Afterwards, descriptors, children, files and memory must be as before.',
  },
  {
    name: 'faults',
    what: 'Disks with too little space to just enough; the same bytes uploaded 2 to 16 times at once, with kills; stops under load, by one signal or two; thousands of small jobs while readers are killed and jobs aborted; `/healthz` while files are converted.',
  },
]
