// Modules: what the torture consists of, in the order in which it runs. Each stands in a file of its name and exports `run`.

/** `short` is a minute at most, to see that it works; `long` is what figures are made of. */
export type Scale = 'short' | 'long'

/** Throws on a violation; resolves to what was done and seen, in words that stand in the docs. */
export type Run = (scale: Scale, seed: number) => Promise<Readonly<Record<string, number | string>>>

export const modules: readonly { readonly name: string; readonly what: string }[] = [
  {
    name: 'crash',
    what: 'A process that publishes, records and removes datasets is killed at every system call that changes the disk, in its sweep at start too, and at random moments; the store is opened after each kill and held against what was acknowledged.',
  },
  {
    name: 'power-loss',
    what: 'All that such a process did to the disk is replayed as power loss may leave it, after any step: what was not synced is lost, kept, kept in part or torn. The store is opened on each state. The same check must fail on disks on which syncs do not count.',
  },
  {
    name: 'service-power-loss',
    what: 'The same of the whole service, which takes two uploads and deletes one under strace: what DuckDB writes is in it. On each state every file that a receipt names is compared with its SHA-256.',
  },
  {
    name: 'io-errors',
    what: 'Each file call of a store, and of a whole service with its converters while it takes, reads again and deletes, fails once with each of EIO, ENOSPC, EINTR, EACCES, EMFILE and EROFS that it can meet, and reads and writes are done by half. What was answered 2xx is whole and outlives a restart, nothing else is half there, and no file is synced again after its sync failed.',
  },
  {
    name: 'bit-flips',
    what: 'One bit of a stored file is flipped, with its time kept: original, parts, table of rejects, checksums, receipt, kept profile. A process that had verified the file before has to find it before a byte of that block leaves, and gives what lies in other blocks.',
  },
  {
    name: 'bucket-commits',
    what: 'Eight stores of one bucket publish the same dataset within some milliseconds of each other, on a real S3 server; two of them lose a tenth of the answers to their commits. One makes the dataset, the others find that it is there, and no file of theirs stays.',
  },
  {
    name: 'columns',
    what: 'Tables of nasty values by a seed, most of a few records and some of tens of thousands, are ingested as the service does it. DuckDB reads the same texts with the rules in SQL: types, formats, null words, notes, every value, nulls, and least and greatest values in the statistics of the parts are the same. A run that was interrupted goes on with its `SEED`.',
  },
  {
    name: 'pages',
    what: "A stranger's pages in Chromium try to send, change, delete and read: by fetch, beacon, form, frame, script, another port, another name, a name made to point here.",
  },
  {
    name: 'multipart',
    what: 'Bodies built and broken by a seed are read by the multipart parser, whole and in random cuts, and held against a reading by regular expressions.',
  },
  {
    name: 'mutated-uploads',
    what: 'Uploads broken in their types, bodies and chunks are sent to a running service, after all that were of interest once: each is taken or refused with its record, and nothing is left behind.',
  },
  {
    name: 'slow-clients',
    what: 'Heads and bodies that come in drips and downloads that nobody takes, all at once, while uploads of 4.2 MB are sent one after another: none of these may fail, their 99th percentile may double at most, and the server may take 64 MB more than with such uploads alone.',
  },
  {
    name: 'floods',
    what: 'More connections than descriptors; aborted uploads by the thousand; clients whose process is stopped; a body without end; 64 uploads of 100 MB at once, with which the server may take 256 MB. Descriptors, children, files and memory are then those of before.',
  },
  {
    name: 'faults',
    what: 'Disks that are filled to within some bytes, from too little to enough; the same bytes 2 to 16 times at once, with kills among them; stops under load, by one signal or two; thousands of small jobs while converters are killed and jobs aborted; a file that bloats its converter; `/healthz` while files are converted.',
  },
]
