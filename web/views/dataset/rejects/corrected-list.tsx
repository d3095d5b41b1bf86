// Corrected list: the first records of a dataset that were corrected, each as it was and as it is read now.
import { datasetAddress, type Receipt } from '../../../api.ts'
import { count } from '../../../format.ts'
import { DownloadLink } from '../../../parts/download-link.tsx'
import { Spoken } from '../../../parts/spoken.tsx'
import { rejectSentence } from '../../../sentences.ts'
import { t } from '../../../texts.ts'
import { MarkedText } from './marked-text.tsx'

export function CorrectedList({ receipt: { id, file, columns, corrections } }: { readonly receipt: Receipt }) {
  if (corrections === undefined) return null
  const names = columns.map(({ name }) => name)
  return (
    <section>
      <div class="row between">
        <h2>{t.correctedRecords(count(corrections.count))}</h2>
        <DownloadLink
          name={t.correctionsFile}
          address={datasetAddress(id, '/corrections')}
          fileName={`${file.name}.corrections.ndjson`}
        />
      </div>
      <ul class="list">
        {corrections.first.map(({ record, line, text, base64, correctedText, ...why }) => (
          <li key={record} class="reject">
            <div class="row between">
              <span>
                <strong class="figures">
                  {t.line} {count(line)}
                </strong>{' '}
                <span class="quiet figures">
                  {t.record} {count(record)}
                </span>
              </span>
              <span class="quiet">
                <Spoken sentence={rejectSentence(why, names)} />
              </span>
            </div>
            <del>
              <MarkedText text={text ?? base64 ?? ''} place={null} />
            </del>
            <ins>
              <MarkedText text={correctedText} place={null} />
            </ins>
          </li>
        ))}
      </ul>
      {corrections.count > corrections.first.length && (
        <p class="quiet">{t.firstOnly(count(corrections.first.length))}</p>
      )}
    </section>
  )
}
