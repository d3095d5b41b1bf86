// Edit file: opens a file in the user's editor, and waits until the editor ends. Does not know what the file contains.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Resolves when the editor has ended.
 *
 * @param editor A command, with arguments if need be: `code --wait`.
 * @throws {Error} if it cannot be started, or ends with a failure
 */
export async function editFile(editor: string, path: string): Promise<void> {
  const isWindows = process.platform === 'win32'
  // Run by a shell, since the editor may have arguments; the path is not part of the shell's command.
  const child = isWindows
    ? spawn(`${editor} "${path}"`, { shell: true, stdio: 'inherit' })
    : spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0) throw new Error(`Cannot edit the file: ${editor} ended with ${signal ?? code}`)
}
