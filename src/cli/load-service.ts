// Load service: loads the parts of the program that the client-only package lacks. Knows no command.
import { errorCode } from '../core/storage-error.ts'

/** Loads a module of the service. @throws {Error} naming the package to install if the module is missing */
export async function loadService<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error('Cannot run this command: csv-upload-client lacks the service; install csv-upload-service', {
      cause: error,
    })
  }
}
