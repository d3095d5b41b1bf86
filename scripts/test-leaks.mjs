// Test leaks: fails the tests of a process if they leave a file handle open. Loaded before the tests.
import { after } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const leaks = []
process.on('warning', ({ message }) => {
  if (message.startsWith('Closing file descriptor')) leaks.push(message)
})

// The garbage collector finds them at any time or never, so it is forced to run at the end.
after(async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc')
  for (let round = 0; round < 3; round += 1) {
    collectGarbage()
    await setImmediate()
  }
  if (leaks.length === 0) return
  // The runner reports what this hook throws, but still exits with 0.
  process.exitCode = 1
  throw new Error(`${leaks.length} files were opened but not closed, by the tests or by the code under test`)
})
