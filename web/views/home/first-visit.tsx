// First visit: what the service does, by an example, for whoever has no dataset yet.
import { Icon } from '../../parts/icon.tsx'
import { Strip } from '../../parts/strip.tsx'
import { t } from '../../texts.ts'
import { FileButtons, FormatsLine } from './file-buttons.tsx'

export function FirstVisit() {
  const steps = [
    { ...t.firstSteps.read, read: 0.62, ticks: [] },
    { ...t.firstSteps.account, read: 1, ticks: [0.18, 0.2, 0.51, 0.8] },
    { ...t.firstSteps.mend, read: 1, ticks: [] },
  ]
  return (
    <div class="hero">
      <div class="pitch">
        <div>
          <div>
            <h1>{t.promiseTitle}</h1>
            <p class="lead">{t.promiseLead}</p>
          </div>
          <section class="drop big" aria-label={t.dropHere}>
            <Icon name="upload" class="lead-icon" />
            <FileButtons />
            <FormatsLine />
          </section>
        </div>
        <Example />
      </div>
      <ol class="worked">
        {steps.map(({ name, text, read, ticks }, at) => (
          <li key={name}>
            <h2>{`${at + 1} · ${name}`}</h2>
            <Strip label={name} read={read} header={0.003} ticks={ticks.map((tick) => ({ at: tick }))} />
            <p class="quiet">{text}</p>
          </li>
        ))}
      </ol>
      <p class="quiet small">
        {t.fromProgram} <code>curl -F file=@orders.csv {location.origin}/qas/uploadCsv</code>
      </p>
    </div>
  )
}

function Example() {
  return (
    <figure class="example">
      <pre class="code">
        {'order;kunde;betrag\n000427;Łukasz Wójcik;1.234,50\n000428;佐藤 陽菜;84,19\n'}
        <mark>000429;Siân O’Hara</mark>
        {'\n000430;Νίκος Παπαδόπουλος;12,00'}
      </pre>
      <figcaption>
        <Strip label={t.rejectedTerm('1')} header={0.2} ticks={[{ at: 0.66 }]} />
        <p class="sum">{t.exampleSum}</p>
      </figcaption>
    </figure>
  )
}
