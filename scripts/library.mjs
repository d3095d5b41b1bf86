// Library: the entry point of the package. Plain JavaScript for any Node, so that old versions get a clear error.
const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  throw new Error(
    `Cannot load csv-upload-service on Node ${process.versions.node}: Node 24 or newer is required. ` +
      'The command csv-upload brings its own Node.',
  )
}
const library = await import('../dist/index.js')

export const { createServer, csvUpload, ConfigError } = library
