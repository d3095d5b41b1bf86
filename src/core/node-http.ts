// Node HTTP: Node's own module, without what an import of it loads as well.

/** An import reads every export of a module, and of this one `WebSocket`, which loads a client of 10 MB. */
export const nodeHttp = process.getBuiltinModule('node:http')
