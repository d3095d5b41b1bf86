// Copy checkout: a copy of the project in which code can be broken. Knows nothing of what is broken.
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { projectPaths, root } from '../house/sources.ts'

/** Copies every file of the project and what set-up has built; dependencies are shared. */
export async function copyCheckout(dir: string): Promise<void> {
  for (const path of projectPaths()) await cp(join(root, path), join(dir, path))
  const isKept = (path: string) => !path.includes('compile-cache')
  await cp(join(root, 'build'), join(dir, 'build'), { recursive: true, filter: isKept })
  await symlink(join(root, 'node_modules'), join(dir, 'node_modules'))
}
