// Shared service: one running service for all test files of a process that need the same flags, since starting one
// takes a second of CPU time.
import { join } from 'node:path'
import { after } from 'node:test'
import { RunningService, scratchDir } from './running-service.ts'

/** Small segments, so that few records give many parts. */
export const smallSegments = ['--segment-size', '64KB', '--record-size-max', '1MB'] as const

/** Segments of which files of a few megabytes give several. */
export const mediumSegments = ['--segment-size', '1MB'] as const

const services = new Map<string, Promise<RunningService>>()

/**
 * A service with these flags, shared by tests that run one at a time. A test may find datasets of others, so it must
 * use its own files and change nothing on which others rely.
 */
export function sharedService(flags: readonly string[] = []): Promise<RunningService> {
  const key = flags.join(' ')
  const service = services.get(key) ?? ownService(flags)
  services.set(key, service)
  return service
}

/** A service with these flags for one test file, until its tests have ended; its data is in a directory of its own. */
export async function ownService(flags: readonly string[] = []): Promise<RunningService> {
  const scratch = await scratchDir()
  const service = await RunningService.start(join(scratch.path, 'data'), flags)
  after(async () => {
    await service[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  return service
}
