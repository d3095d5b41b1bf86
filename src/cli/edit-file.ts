// Edit file: opens a file in the editor of the person who runs a command, and waits until that ends. Knows nothing of the file.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Resolves when the editor has ended.
 *
 * @param editor A command, with arguments if need be: `code --wait`.
 * @throws {Error} where it cannot be started, or ends with a failure
 */
export async function editFile(editor: string, path: string): Promise<void> {
  const isWindows = process.platform === 'win32'
  // Through a shell, since it may be more than the name of a program; the path is never part of what that reads.
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { shell: true, stdio: 'inherit' })
    : spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`Cannot edit the file: ${editor} ended with ${signal ?? code}`)
}
