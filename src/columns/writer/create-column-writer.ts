// Create column writer: creates writers that share few memories, since only one at a time works in a thread. Needs build/columns.wasm.

import { ColumnsMemory } from '../memory/columns-memory.ts'
import { columnsModule } from '../memory/columns-module.ts'
import type { ColumnWriterOptions } from './column-writer.ts'
import { WasmColumnWriter } from './wasm-column-writer.ts'

/** A memory that has grown beyond this, for a long record, is not kept. */
const idleBytesMax = 67_108_864

let idle: ColumnsMemory | null = null

export function createColumnWriter(options: ColumnWriterOptions): WasmColumnWriter {
  const memory = idle ?? new ColumnsMemory(columnsModule())
  idle = null
  let isHeld = true
  const release = () => {
    if (isHeld && memory.bytes.length <= idleBytesMax) idle = memory
    isHeld = false
  }
  try {
    return new WasmColumnWriter(options, memory, release)
  } catch (error) {
    release()
    throw error
  }
}
