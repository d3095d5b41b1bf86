// Measure shapes: the upload time of each shape of file, in turns with a clean file of the same size.
import { clean, type Shape, shapes } from './shapes.ts'
import { median } from './statistics.ts'

export interface ShapeFigure {
  readonly name: string
  /** Medians over the turns. The ratio is to the clean file of the same turn. */
  readonly uploadMs: number
  readonly ratio: number
  readonly ratioMin: number
  readonly ratioMax: number
  readonly accepted: number
  readonly rejected: number
}

export interface ShapeBench {
  readonly rounds: number
  file(shape: Shape): string
  /** Uploads a file and deletes its dataset. */
  upload(path: string): Promise<{ readonly ms: number; readonly body: string }>
}

/** Clean file and shape take turns, so that other load on the machine affects both. */
export async function measureShapes(bench: ShapeBench): Promise<ShapeFigure[]> {
  const cleanPath = bench.file(clean)
  await bench.upload(cleanPath)
  const figures: ShapeFigure[] = []
  for (const shape of shapes) {
    const path = bench.file(shape)
    const first = await bench.upload(path)
    const { records } = JSON.parse(first.body) as { records: { accepted: number; rejected: number } } // a receipt
    const turns: { ms: number; ratio: number }[] = []
    for (let round = 0; round < bench.rounds; round++) {
      const { ms: cleanMs } = await bench.upload(cleanPath)
      const { ms } = await bench.upload(path)
      turns.push({ ms, ratio: ms / cleanMs })
    }
    const figure = {
      name: shape.name,
      uploadMs: median(turns.map(({ ms }) => ms)),
      ratio: median(turns.map(({ ratio }) => ratio)),
      ratioMin: Math.min(...turns.map(({ ratio }) => ratio)),
      ratioMax: Math.max(...turns.map(({ ratio }) => ratio)),
      accepted: records.accepted,
      rejected: records.rejected,
    }
    console.error(JSON.stringify(figure))
    figures.push(figure)
  }
  return figures
}
