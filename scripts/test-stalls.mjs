// Test stalls: ends a test run in which nothing moves, and names the tests that were running. Knows no test.
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/** Processor time that processes may take that only wait: half a second in a minute. A tick is 10 ms. */
const idleTicksPerMs = 1 / 1_200

/**
 * Watches this process and its descendants: if no test begins or ends, and they take no processor time for so long, they
 * are killed, and this process ends with code 1. A test on a busy machine may take any time.
 *
 * @param {number} stillMsMax Of a processor that nothing else uses.
 * @returns Call it with every event of the test runner.
 */
export function watchForStalls(stillMsMax = 60_000) {
  const running = new Map()
  let movedMs = performance.now()
  let movedTicks = 0
  const look = () => {
    const tree = processTree()
    const ticks = tree.reduce((sum, one) => sum + one.ticks, 0)
    // Without /proc, nothing is known.
    if (tree.length === 0 || Math.abs(ticks - movedTicks) > stillMsMax * idleTicksPerMs) {
      movedMs = performance.now()
      movedTicks = ticks
    } else if (performance.now() - movedMs > stillMsMax * Math.max(1, loadavg()[0] / availableParallelism())) {
      process.stderr.write(`Nothing has moved for ${stillMsMax / 1_000} s in: ${[...running.values()].join(', ')}\n`)
      for (const { pid } of tree) if (pid !== process.pid) attempt(() => process.kill(pid, 'SIGKILL'))
      process.exit(1)
    }
  }
  setInterval(look, stillMsMax / 6).unref()
  return ({ type, data }) => {
    movedMs = performance.now()
    const key = `${data?.file} ${data?.name}`
    if (type === 'test:dequeue') running.set(key, data.name)
    if (type === 'test:complete') running.delete(key)
  }
}

/** This process and its descendants, with the processor time of each and of its ended children; empty if unknown. */
function processTree() {
  const tree = [process.pid]
  for (const pid of tree) {
    for (const task of attempt(() => readdirSync(`/proc/${pid}/task`), []))
      tree.push(
        ...attempt(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1'), '')
          .split(' ')
          .filter(Boolean)
          .map(Number),
      )
  }
  return tree.flatMap((pid) => {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'), null)
    // The fields behind the name: from the state on.
    const fields = stat?.split(') ').at(-1).split(' ').slice(11, 15) ?? []
    return stat === null ? [] : [{ pid, ticks: fields.reduce((sum, one) => sum + Number(one), 0) }]
  })
}

/** `otherwise` if the process has ended, or the system does not show processes. */
function attempt(look, otherwise) {
  try {
    return look()
  } catch {
    return otherwise
  }
}
