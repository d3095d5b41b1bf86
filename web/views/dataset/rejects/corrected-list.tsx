// Corrected list: the first records of a dataset that were corrected, each as it was and as it is read now.
import { datasetAddress, type Receipt } from '../../../api.ts'
import { count } from '../../../format.ts'
import { DownloadLink } from '../../../parts/download-link.tsx'
import { t } from '../../../texts.ts'
import { MarkedText } from './marked-text.tsx'

export function CorrectedList({ receipt: { id, file, corrections } }: { readonly receipt: Receipt }) {
  if (corrections === undefined) return null
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
        {corrections.first.map(({ record, line, text, base64, correctedText, message }) => (
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
              <span class="quiet">{message}</span>
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
