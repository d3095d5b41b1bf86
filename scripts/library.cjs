// Library: the entry point of the package, for import and require(). CommonJS for any Node, so that old ones get a clear error.
const { node } = process.versions
const { engines, publishConfig } = require('../package.json')
const minimum = (publishConfig ?? { engines }).engines.node.replace('>=', '')
if (node.localeCompare(minimum, 'en', { numeric: true }) < 0) {
  throw new Error(`Cannot load csv-upload-service on Node ${node}: expected Node ${minimum} or newer`)
}
const { createServer, csvUpload, ConfigError } = require('../dist/index.js')

module.exports = { createServer, csvUpload, ConfigError }
