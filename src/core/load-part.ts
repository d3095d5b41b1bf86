// Load part: loads a part of the program that an installation may lack, and says what to install. Knows no part.
import { errorCode } from './storage-error.ts'

/** Loads a module on demand. @throws {Error} one line that names the package to install if something is missing */
export async function loadPart<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    const name = /^Cannot find package '([^']+)'/.exec((error as Error).message)?.[1]
    throw new Error(`Cannot do this without the package ${name}: run npm install ${name}`)
  }
}
