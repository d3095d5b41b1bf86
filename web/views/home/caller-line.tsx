// Caller line: whose key this tab uses, what it may do, and how much of the quota is used. Empty without keys and quotas.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Caller } from '../../api.ts'
import { enterKey, lookAtCaller, useCaller } from '../../caller.ts'
import { bytes, count, list, moment } from '../../format.ts'
import { t } from '../../texts.ts'

let greetedCount = 0

/** @param changes Number of stored datasets in this visit: each changes the usage. */
export function CallerLine({ changes }: { readonly changes: number }) {
  const { caller, keyCount } = useCaller()
  const line = useRef<HTMLParagraphElement>(null)
  useLayoutEffect(() => void (changes > 0 && lookAtCaller()), [changes])
  // Users who have just entered a key continue reading here: before the next key press, so that it does not get lost.
  useLayoutEffect(() => {
    if (keyCount > greetedCount) line.current?.focus()
    greetedCount = keyCount
  }, [keyCount])
  if (caller === null) return null
  const facts = factsOf(caller)
  if (facts.length === 0) return null
  return (
    <p class="caller quiet" ref={line} tabIndex={-1}>
      <span>{facts.join(' · ')}</span>
      {caller.name !== null && (
        <button type="button" class="small" onClick={() => void enterKey(null).catch(() => {})}>
          {t.forgetKey}
        </button>
      )}
    </p>
  )
}

function factsOf({ name, owner, scopes, expiresAt, bytes: size, datasets }: Caller): readonly string[] {
  const allowed = scopes.map((scope) => t.scopeNames[scope] ?? scope)
  const hasUsage = name !== null || size.max !== null || datasets.max !== null
  return [
    name !== null && t.keyOf(name, owner ?? '', allowed.length > 0 ? t.may(list(allowed)) : t.mayNothing),
    expiresAt !== null && t.validUntil(moment(expiresAt)),
    hasUsage && `${t.stored}: ${usage(size, bytes)}`,
    hasUsage && `${t.datasets}: ${usage(datasets, count)}`,
  ].filter((fact) => fact !== false)
}

function usage({ used, max }: Caller['bytes'], inWords: (value: number) => string): string {
  return max === null ? inWords(used) : t.ofMost(inWords(used), inWords(max))
}
