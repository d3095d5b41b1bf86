// Sizing: the cost of uploads, and of many of them, computed from bench/figures.json, as Markdown.
import { readFigures } from '../../bench/figures.ts'

/** Size of all files of a dataset of 100 MB in the benchmark, as a multiple of it, rounded up. Counted, not timed. */
const keptPart = 1.36
/** Share of a core's time to plan for, which leaves room for uneven load. */
const busyPart = 0.6
const uploadsPerMinute = 1_000
const coresPerReplica = 2
/** Number of replicas that may be unavailable. */
const spareReplicas = 2

/** S3 operations by the method of their requests. */
const methods: Readonly<Record<string, 'put' | 'post' | 'get'>> = {
  PutObject: 'put',
  UploadPart: 'put',
  CreateMultipartUpload: 'post',
  CompleteMultipartUpload: 'post',
  DeleteObjects: 'post',
  GetObject: 'get',
  HeadObject: 'get',
  ListObjects: 'get',
}

/** CPU time and requests of one upload of 100 MB; in a bucket, the least and the most of the numbers of services. */
function readUpload() {
  const { date, machine, sizes, cores, replicas } = readFigures()
  const size = sizes.find(({ name }) => name === '100 MB')!
  const largest = sizes.at(-1)!
  const core = cores.find((one) => one.cores === coresPerReplica && one.isMeasured)!
  const { files = 0, replicas: measured = [], requests = [] } = replicas
  const ofFile = requests.find(({ bytes }) => bytes >= 100_000_000)!
  const directory = size.cpuSeconds.server + size.cpuSeconds.converters
  const inBucket = measured.map(({ cpuSeconds }) => cpuSeconds.services / files)
  const bucket = Math.min(...inBucket)
  const receiving = (core.cpuSeconds.receiving * size.bytes) / largest.bytes
  const counts = { put: 0, post: 0, get: 0 }
  for (const [call, count] of Object.entries(ofFile.calls)) {
    const method = methods[call]
    if (method === undefined) throw new Error(`Cannot find the method of '${call}'`)
    counts[method] += count
  }
  return {
    measured: `${machine}, ${date}`,
    cpu: { directory: shown(directory), bucket: shown(bucket), bucketMost: shown(Math.max(...inBucket)) },
    receiving: { directory: shown(receiving), bucket: shown(receiving + Math.max(0, bucket - directory)) },
    requests: counts,
  }
}

export function sizingTable(): string {
  const { cpu, receiving, requests, measured } = readUpload()
  const all = requests.put + requests.post + requests.get
  return [
    `${measured}.`,
    '',
    '| | In a directory | In a bucket |',
    '| --- | --- | --- |',
    `| CPU time, *c* | ${two(cpu.directory)} s | ${two(cpu.bucket)} to ${two(cpu.bucketMost)} s |`,
    `| of this, on the receiving thread, *r* | ${two(receiving.directory)} s | at most ${two(receiving.bucket)} s, if it does all that a bucket adds |`,
    `| bytes stored, as a multiple of the file, *k* | ${keptPart} | ${keptPart} |`,
    `| requests to the bucket | | ${all}: ${requests.put} \`PUT\`, ${requests.post} \`POST\`, ${requests.get} \`GET\` |`,
  ].join('\n')
}

export function estimateList(): string {
  const { cpu, receiving, requests } = readUpload()
  const n = uploadsPerMinute / 60
  const cores = Math.ceil((n * cpu.bucketMost) / busyPart)
  const processes = Math.ceil((n * receiving.bucket) / busyPart)
  const replicas = Math.max(Math.ceil(cores / coresPerReplica), processes)
  const all = replicas + spareReplicas
  const atOnce = (seconds: number) => Math.ceil(n * seconds)
  const disk = n * 80 * keptPart * 0.1
  const gbits = n * 0.8
  const requestsPerUpload = requests.put + requests.post + requests.get
  const writes = requests.put + requests.post
  const terabytesPerDay = (n * 86_400 * keptPart) / 10_000
  const alone = 60 / receiving.directory
  return [
    `- **Cores**: ${one(n)} · ${two(cpu.bucketMost)} / ${busyPart} = ${cores}, with the highest measured *c*. **Processes**: ${one(n)} · ${two(receiving.bucket)} / ${busyPart} = ${processes}. So ${replicas} replicas with two cores each, and two spare ones: ${all}.`,
    `- **Uploads at once**: a client with 100 Mbit/s sends for 8 s, which gives ${atOnce(8)}, or ${Math.ceil(atOnce(8) / replicas)} per replica; with 10 Mbit/s it sends for 80 s, which gives ${count(atOnce(80))}, or ${Math.ceil(atOnce(80) / replicas)} per replica, below the limit of 96.`,
    '- **Memory**: 1 GB and four queries of 512 MB: 3 GB per replica.',
    `- **Local disk**: for clients with 10 Mbit/s, ${one(n)} · 80 · ${(keptPart / 10).toFixed(3)} = ${Math.round(disk)} GB in total, ${Math.ceil(disk / replicas)} GB per replica, plus 10 GB of cache; written at ${one(n)} · ${Math.round(keptPart * 100)} / ${replicas} = ${Math.round((n * keptPart * 100) / replicas)} MB/s per replica.`,
    `- **Network**: ${one(n)} · 0.8 = ${one(gbits)} Gbit/s in, through a proxy or load balancer that does not buffer it; ${one(gbits * keptPart)} Gbit/s to the bucket; ${one(gbits / replicas)} and ${one((gbits * keptPart) / replicas)} Gbit/s per replica.`,
    `- **The bucket**: ${one(n)} · ${requestsPerUpload} = ${Math.round(n * requestsPerUpload)} requests per second, of which ${Math.round(n * writes)} are writes, and ${Math.round(uploadsPerMinute * keptPart * 0.1)} GB per minute: ${Math.round(terabytesPerDay)} TB per day. Choose the server of the bucket first; without \`--keep-for\`, nothing is ever deleted.`,
    `- **Without a bucket**, one process is not enough: its receiving thread handles at most 60 / ${two(receiving.directory)} = ${Math.round(alone)} such uploads per minute if it never waits, and about ${Math.round((alone * busyPart) / 10) * 10} at 60 %.`,
  ].join('\n')
}

/** Rounded as printed, so that readers who recalculate get the same result. */
const shown = (seconds: number) => Math.round(seconds * 100) / 100
const one = (value: number) => value.toFixed(1)
const two = (value: number) => value.toFixed(2)
const count = (value: number) => value.toLocaleString('en-US')
