// Control: shows that a module of the torture can fail. Runs it where an old fault is put back, in a copy of the checkout.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { copyCheckout } from '../test/mutants/copy-checkout.ts'
import { mutants } from '../test/mutants/mutants.ts'

/**
 * Resolves to what the module found in a short run with a kept break.
 * @throws {Error} if it fails for another reason than the expected one, or not at all
 */
export async function mustFail(module: string, seed: number, breakId: string, expected: RegExp): Promise<string> {
  const { path, find, replace } = mutants.find(({ id }) => id === breakId)!
  const dir = await mkdtemp(join(tmpdir(), 'csv-upload-control-'))
  try {
    await copyCheckout(dir)
    const file = join(dir, path)
    const code = await readFile(file, 'utf8')
    if (code.split(find).length !== 2) throw new Error(`Cannot put '${breakId}' back: its text is not found once`)
    await writeFile(
      file,
      code.replace(find, () => replace),
    )
    const args = ['torture/main.ts', '--only', module, '--scale', 'short', '--seed', String(seed)]
    // Not with the counts of this run.
    const env = { ...process.env, DATASETS: undefined, KILLS: undefined }
    const child = spawn(process.execPath, args, { cwd: dir, env, stdio: ['ignore', 'ignore', 'pipe'] })
    const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    const found = expected.exec(said)?.[0]
    if (status === 0 || found === undefined) {
      throw new Error(`'${module}' does not find '${breakId}': it ended with ${status}, expected ${expected}\n${said}`)
    }
    return found
  } finally {
    await rm(dir, { recursive: true })
  }
}
