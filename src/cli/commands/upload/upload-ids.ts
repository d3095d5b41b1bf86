// Upload ids: what users may give as the id of an upload.
import { UsageError } from '../../command.ts'

/** The given ids, each whole or only its first digits. @throws {UsageError} */
export function uploadIds(args: readonly string[]): readonly string[] {
  const wrong = args.find((arg) => !/^[0-9a-f]{8}[0-9a-f-]{0,28}$/i.test(arg))
  if (wrong === undefined) return args.map((id) => id.toLowerCase())
  throw new UsageError(
    `Cannot use upload id '${wrong}': wanted at least the first 8 of its 36 characters, as csv-upload uploads prints them`,
  )
}
