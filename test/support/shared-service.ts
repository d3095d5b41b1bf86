// Shared service: one running service for all test files of a process that need the same flags. Starting one takes a second of CPU time.
import { join } from 'node:path'
import { after } from 'node:test'
import { RunningService, scratchDir } from './running-service.ts'

/** Small segments make many parts of few records. */
export const smallSegments = ['--segment-size', '64KB', '--record-size-max', '1MB'] as const

/** Files of some megabytes are several of these. */
export const mediumSegments = ['--segment-size', '1MB'] as const

const services = new Map<string, Promise<RunningService>>()

/**
 * A service with these flags. Others use it too, one test at a time: a test finds datasets that it has not made, so its
 * files are its own, and it changes nothing that others rely on.
 */
export function sharedService(flags: readonly string[] = []): Promise<RunningService> {
  const key = flags.join(' ')
  const service = services.get(key) ?? start(flags)
  services.set(key, service)
  return service
}

async function start(flags: readonly string[]): Promise<RunningService> {
  const scratch = await scratchDir()
  const service = await RunningService.start(join(scratch.path, 'data'), flags)
  after(async () => {
    await service[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  return service
}
