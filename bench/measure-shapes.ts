// Measure shapes: the time of an upload of each shape of file, next to a clean one of the same size in the same run.
import { clean, type Shape, shapes } from './shapes.ts'
import { median } from './statistics.ts'

export interface ShapeFigure {
  readonly name: string
  /** Medians over the turns; the ratio is that of each turn to a clean file of the same size. */
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
  /** Uploads a file and deletes what came of it. */
  upload(path: string): Promise<{ readonly ms: number; readonly body: string }>
}

/** Clean file and shape take turns, so that what else the machine does meets both. */
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
