// Cause view: one cause of rejects: rules that may mend them, what each would change, and its records one by one.
import { useLayoutEffect, useState } from 'preact/hooks'
import {
  type CorrectionRule,
  firstLeftMax,
  type Mend,
  type MendedRecord,
  type RuleOutcome,
} from '../../../../src/core/correction-rules.ts'
import type { RejectPreview } from '../../../../src/core/receipt.ts'
import { getRejects, previewCorrections, type Receipt } from '../../../api.ts'
import { count } from '../../../format.ts'
import { Button, Field } from '../../../parts/controls.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { reasonName } from '../../../reject-texts.ts'
import { t } from '../../../texts.ts'
import { type Outcome, settled, useAction, useLoaded } from '../../../use-loaded.ts'
import { type Cause, isOf, leftOf, proposedMends } from './causes.ts'
import { originalText } from './drafts.ts'
import { visible } from './marked-text.tsx'
import { RejectItem } from './reject-item.tsx'
import type { CorrectionWork } from './use-corrections.ts'

export function causeName({ reason, column }: Pick<CorrectionRule, 'reason' | 'column'>): string {
  return column === undefined ? reasonName(reason) : `${reasonName(reason)}: ${column}`
}

export function ruleName({ mend, text = '', with: by = '' }: CorrectionRule): string {
  return mend === 'replace' ? `${t.mends[mend]}: ${text} → ${by}` : t.mends[mend]
}

interface CauseProps {
  readonly receipt: Receipt
  readonly cause: Cause
  readonly work: CorrectionWork
  readonly mayMake: boolean
}

/** With fewer, they are shown at once. */
const fewRejects = 20

export function CauseView(props: CauseProps) {
  const { cause, work, mayMake } = props
  const [isOneByOne, setOneByOne] = useState(cause.count <= fewRejects || work.drafts.size > 0)
  const isMended = mendedOf(cause, work) === cause.count
  return (
    <section class="cause" aria-labelledby="cause">
      <div>
        <h2 id="cause">{t.causeHead(causeName(cause), count(cause.count))}</h2>
        {!mayMake && <p class="quiet">{t.mayNotMake}</p>}
      </div>
      {mayMake && !isMended && <Rules {...props} />}
      <AppliedRules cause={cause} work={work} />
      {!isMended && isOneByOne && <Records {...props} />}
      {!isMended && !isOneByOne && (
        <p>
          <Button text={t.oneByOne} onClick={() => setOneByOne(true)} />
        </p>
      )}
    </section>
  )
}

/** Records of a cause that the applied rules mend. */
export function mendedOf(cause: Cause, { rules, outcomes }: Pick<CorrectionWork, 'rules' | 'outcomes'>): number {
  return rules.reduce((sum, rule, at) => sum + (isOf(rule, cause) ? (outcomes?.[at]?.mended ?? 0) : 0), 0)
}

/** The rules that may mend a cause: how many records each would, and what the chosen one changes. */
function Rules({ receipt, cause, work }: CauseProps) {
  const mends = proposedMends(cause)
  const [picked, pick] = useState<Mend | null>(null)
  const [words, setWords] = useState({ text: cause.reason === 'invalid_bytes' ? '\ufffd' : '', with: '', whole: false })
  const ruleOf = (mend: Mend): CorrectionRule => {
    const { reason, column } = cause
    return { reason, ...(column !== undefined && { column }), mend, ...(mend === 'replace' && words) }
  }
  const tries = (mend: Mend) => mend !== 'leave' && (mend !== 'replace' || words.text !== '' || words.whole)
  const applied = JSON.stringify([work.rules, work.readableCount])
  const tryAll = async (some: readonly Mend[], signal: AbortSignal) => {
    const outcomes = new Map<Mend, RuleOutcome | undefined>()
    for (const mend of some.filter(tries)) outcomes.set(mend, await tryRule(receipt.id, work, ruleOf(mend), signal))
    return outcomes
  }
  const others = mends.filter((mend) => mend !== 'replace')
  const fixed = useLoaded((signal) => tryAll(others, signal), [applied])
  const worded = useLoaded((signal) => tryAll(['replace'], signal), [applied, JSON.stringify(words)])
  const useful = mends.find((mend) => settled(fixed)?.get(mend)?.mended)
  // What no fixed rule mends, words may.
  const rest = settled(fixed) === null ? mends : [...mends.filter((mend) => mend === 'replace'), ...mends]
  const chosen = picked ?? useful ?? rest[0] ?? 'leave'
  const triedOf = (mend: Mend) => (mend === 'replace' ? worded : fixed)
  const tried = triedOf(chosen)
  const outcome = settled(tried)?.get(chosen)
  const onSubmit = (event: Event) => {
    event.preventDefault()
    if (chosen === 'leave' || outcome?.mended) work.apply(ruleOf(chosen))
  }
  return (
    <form class="rules" onSubmit={onSubmit}>
      <fieldset>
        <legend class="hidden">{t.rule}</legend>
        {mends.map((mend) => (
          <label key={mend}>
            <input type="radio" name="rule" checked={mend === chosen} onChange={() => pick(mend)} />
            <span>{t.mends[mend]}</span>{' '}
            <span class="small quiet">{mend === 'leave' ? t.staysRejected : resultText(mend, triedOf(mend))}</span>
          </label>
        ))}
      </fieldset>
      {chosen === 'replace' && <Words words={words} onChange={setWords} />}
      {tried.error !== null && <Failure error={tried.error} />}
      {outcome !== undefined && outcome.mended > 0 && (
        <div>
          <div class="row">
            <h3>{t.whatChanges}</h3>
            <span class="small quiet">
              {t.shownOf(count(Math.min(shownChanges, outcome.first.length)), count(outcome.mended))}
            </span>
          </div>
          <Changes changes={outcome.first.slice(0, shownChanges)} />
        </div>
      )}
      <div class="row">
        <Button
          type="submit"
          text={chosen === 'leave' ? t.mends.leave : t.mendThese(tried.isLoading ? '…' : count(outcome?.mended ?? 0))}
          look="primary"
          disabled={chosen !== 'leave' && !outcome?.mended}
        />
        <span class="small quiet phone-hide">{t.fixKeys}</span>
      </div>
    </form>
  )
}

const shownChanges = 3

/** What a rule would do after those that are applied. */
async function tryRule(id: string, { lines }: CorrectionWork, rule: CorrectionRule, signal: AbortSignal) {
  const { rules = [] } = await previewCorrections(id, [...lines, rule], signal)
  return rules.at(-1)
}

function resultText(mend: Mend, tried: Outcome<ReadonlyMap<Mend, RuleOutcome | undefined>>): string {
  if (tried.isLoading) return '…'
  const outcome = settled(tried)?.get(mend)
  // Those that were mended before are not its own.
  const own = outcome === undefined ? 0 : outcome.records - outcome.earlier
  return outcome === undefined || own === 0 ? '' : t.mendsOf(count(outcome.mended), count(own))
}

interface WordsProps {
  readonly words: { readonly text: string; readonly with: string; readonly whole: boolean }
  onChange(words: WordsProps['words']): void
}

function Words({ words, onChange }: WordsProps) {
  return (
    <div class="row">
      <Field caption={t.replaceText} value={words.text} onInput={(text) => onChange({ ...words, text })} />
      <Field caption={t.replaceWith} value={words.with} onInput={(text) => onChange({ ...words, with: text })} />
      <label>
        <input
          type="checkbox"
          class="check"
          checked={words.whole}
          onChange={(e) => onChange({ ...words, whole: e.currentTarget.checked })}
        />{' '}
        {t.wholeValuesOnly}
      </label>
    </div>
  )
}

/** Records before and after, with what differs marked. */
export function Changes({ changes }: { readonly changes: readonly MendedRecord[] }) {
  return (
    <section class="diff" aria-label={t.beforeAfter}>
      {changes.map(({ record, line, text, correctedText }) => {
        const [before, gone, added, after] = difference(text, correctedText)
        return (
          <div key={record}>
            <span>{t.lines(1, count(line))}</span>
            <span>
              {visible(before)}
              {gone !== '' && <del>{visible(gone)}</del>}
              {added !== '' && <ins>{visible(added)}</ins>}
              {visible(after)}
            </span>
          </div>
        )
      })}
    </section>
  )
}

/** What two texts begin with, what only the first and only the second has, and what both end with. */
function difference(text: string, other: string): readonly [string, string, string, string] {
  const shorter = Math.min(text.length, other.length)
  let start = 0
  while (start < shorter && text[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && text.at(-1 - end) === other.at(-1 - end)) end++
  const rest = text.length - end
  return [text.slice(0, start), text.slice(start, rest), other.slice(start, other.length - end), text.slice(rest)]
}

/** The rules of a cause that are applied, each of which can be taken back. */
function AppliedRules({ cause, work }: Pick<CauseProps, 'cause' | 'work'>) {
  return work.rules.map((rule, at) => {
    if (!isOf(rule, cause)) return null
    const outcome = work.outcomes?.[at]
    return (
      <div key={JSON.stringify(rule)}>
        <h3>
          {t.mendedByRule} {ruleName(rule)}
        </h3>
        {outcome !== undefined && outcome.first.length > 0 && (
          <Changes changes={outcome.first.slice(0, shownChanges)} />
        )}
        <div class="row">
          <Button text={t.takeRuleBack} icon="undo" look="small" onClick={() => work.takeBack(rule)} />
          {outcome !== undefined && (
            <span class="small quiet" role="status">
              {t.mendsOf(count(outcome.mended), count(outcome.records))}
            </span>
          )}
        </div>
      </div>
    )
  })
}

const shownStep = 100

/** The rejects of a cause, to be edited one by one. */
function Records({ receipt, cause, work, mayMake }: CauseProps) {
  const { id, encoding, columns } = receipt
  const [focused, setFocused] = useState<number | null>(null)
  const { value: list, isLoading, error, run } = useAction<Awaited<ReturnType<typeof getRejects>>>(true)
  const more = () =>
    run(async (signal) => {
      const before = list?.rejects ?? []
      const { total, rejects } = await getRejects(id, cause.reason, before.length, shownStep, signal)
      return { total, rejects: [...before, ...rejects] }
    })
  useLayoutEffect(more, [])
  const isOfCause = ({ column }: RejectPreview) =>
    cause.column === undefined || columns[(column ?? 0) - 1]?.name === cause.column
  const left = leftOf(cause, work.tried)
  const isLeft = ({ record }: RejectPreview) =>
    left === null || left.includes(record) || record > (left[firstLeftMax - 1] ?? Infinity) || work.drafts.has(record)
  const rejects = (list?.rejects ?? []).filter((one) => isOfCause(one) && isLeft(one))
  const hasMore = !isLoading && (list === null || list.rejects.length < list.total)
  // Those that are left may be far behind those that are mended. After a failure, the user asks again.
  useLayoutEffect(() => {
    if (hasMore && error === null && rejects.length === 0 && left?.length) more()
  })
  const originals = new Map(rejects.map((one) => [one.record, originalText(one, encoding.name)]))
  const editable = rejects.filter(({ record }) => typeof originals.get(record) === 'string')
  const edit = (reject: RejectPreview) => {
    if (!work.drafts.has(reject.record)) work.write(reject, originals.get(reject.record) ?? '')
    setFocused(reject.record)
  }
  return (
    <>
      <div>
        <h3>{t.oneByOne}</h3>
        {mayMake && <p class="small quiet">{t.correctHint}</p>}
      </div>
      <ul class="rejects">
        {rejects.map((reject) => (
          <RejectItem
            key={reject.record}
            reject={reject}
            original={originals.get(reject.record) ?? null}
            work={work}
            receipt={receipt}
            isFocused={focused === reject.record}
            mayEdit={mayMake}
            onEdit={() => edit(reject)}
            onLeave={() => {
              work.write(reject, null)
              setFocused(null)
            }}
            onNext={() => {
              const following = editable[editable.indexOf(reject) + 1]
              if (following !== undefined) edit(following)
              else document.getElementById('store-corrections')?.focus()
            }}
          />
        ))}
      </ul>
      {isLoading && <p class="quiet">{t.loading}</p>}
      {error !== null && <Failure error={error} />}
      {hasMore && (
        <p>
          <Button text={t.more} onClick={more} />
        </p>
      )}
    </>
  )
}
