// Column changes: columns that only one of two datasets has, or that have another type.
import { t } from '../../../texts.ts'

interface NamedColumn {
  readonly name: string
  readonly type: string
}

interface ColumnChangesProps {
  readonly before: readonly NamedColumn[]
  readonly after: readonly NamedColumn[]
}

export function ColumnChanges({ before, after }: ColumnChangesProps) {
  const typesBefore = new Map(before.map(({ name, type }) => [name, type]))
  const typesAfter = new Map(after.map(({ name, type }) => [name, type]))
  const changes = [
    ...before
      .filter(({ name }) => !typesAfter.has(name))
      .map(({ name, type }) => ({ name, before: type, after: null })),
    ...after.flatMap(({ name, type }) => {
      const last = typesBefore.get(name) ?? null
      return last === type ? [] : [{ name, before: last, after: type }]
    }),
  ]
  if (changes.length === 0) return <p class="quiet">{t.sameColumns}</p>
  return (
    <div class="scroll">
      <table class="compact changes" aria-label={t.columns}>
        <thead>
          <tr>
            <th scope="col">{t.columns}</th>
            <th scope="col">{t.typeBefore}</th>
            <th scope="col">{t.typeNow}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ name, before: last, after: now }) => (
            <tr key={name}>
              <th scope="row" class="name">
                {name}
              </th>
              <td>{last === null ? <span class="null">{t.missing}</span> : last}</td>
              <td>{now === null ? <span class="null">{t.missing}</span> : now}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
