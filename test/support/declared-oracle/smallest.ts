// Smallest: makes a case smaller as long as it still fails. Knows no oracle.
import type { DeclaredCase } from './declared-case.ts'
import type { FieldJson } from './random-field.ts'

/** @param fails Whether a case still has a difference; what cannot be read as a schema has none. */
export async function smallest(
  one: DeclaredCase,
  fails: (one: DeclaredCase) => Promise<boolean>,
): Promise<DeclaredCase> {
  let least = one
  const tryOne = async (smaller: DeclaredCase): Promise<boolean> => {
    const isFailing = await fails(smaller).catch(() => false)
    if (isFailing) least = smaller
    return isFailing
  }
  for (let count = Math.ceil(least.records.length / 2); count >= 1; count = count === 1 ? 0 : Math.ceil(count / 2)) {
    for (let from = 0; from < least.records.length; ) {
      const isGone = await tryOne({ ...least, records: least.records.toSpliced(from, count) })
      if (!isGone) from += count
    }
  }
  for (let i = least.fields.length - 1; i >= 0 && least.fields.length > 1; i--) await tryOne(withoutField(least, i))
  const { missingValues: _, ...withoutMissing } = least
  await tryOne(withoutMissing)
  for (const i of least.fields.keys()) {
    for (const field of smallerFields(least.fields[i]!))
      await tryOne({ ...least, fields: least.fields.with(i, field(least.fields[i]!)) })
  }
  await tryOne({ ...least, rowGroupRecords: 61_440 })
  await tryOne({ ...least, layout: { ...least.layout, delimiter: ',', quote: '"', lineTerminator: '\n' } })
  await tryOne({ ...least, records: least.records.map((record) => record.with(-1, 'n')) })
  return least
}

function withoutField(one: DeclaredCase, i: number): DeclaredCase {
  const layout = { ...one.layout, width: one.layout.width - 1 }
  return {
    ...one,
    layout,
    fields: one.fields.toSpliced(i, 1),
    records: one.records.map((record) => record.toSpliced(i, 1)),
  }
}

/** Ways to make a field smaller, each of what the others left. */
function smallerFields({ constraints = {}, ...members }: FieldJson): readonly ((field: FieldJson) => FieldJson)[] {
  const without = (object: Readonly<Record<string, unknown>>, name: string) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
  return [
    ...Object.keys(constraints).map((name) => (field: FieldJson) => ({
      ...field,
      constraints: without(field.constraints ?? {}, name),
    })),
    ...Object.keys(members)
      .filter((name) => name !== 'name')
      .map((name) => (field: FieldJson) => without(field, name)),
  ]
}
