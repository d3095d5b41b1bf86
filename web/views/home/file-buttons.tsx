// File buttons: the ways to choose files besides dropping them, and what is taken.
import { useCaller } from '../../caller.ts'
import { bytes } from '../../format.ts'
import { Button } from '../../parts/controls.tsx'
import { t } from '../../texts.ts'
import { pastedFile } from '../../upload/chosen-files.ts'
import { queue } from '../../upload/upload-queue.ts'

export function FormatsLine() {
  const { caller } = useCaller()
  return (
    <p class="quiet small phone-hide">
      CSV, TSV, gzip, Zstandard{caller !== null && ` · ${t.upTo(bytes(caller.limits.fileBytesMax))}`}
    </p>
  )
}

export function FileButtons() {
  const paste = async () => {
    const text = await navigator.clipboard.readText().catch(() => '')
    if (text !== '') void queue.add([pastedFile(text)])
  }
  const sample = async () => {
    const { sampleFile } = await import('./sample-files.ts')
    void queue.add([sampleFile()])
  }
  return (
    <div class="row">
      <label class="btn primary">
        {t.choose}
        <input
          type="file"
          multiple
          class="hidden-input"
          onChange={({ currentTarget }) => {
            // Copied: clearing the input, so that the same file can be chosen again, empties its list.
            void queue.add([...(currentTarget.files ?? [])])
            currentTarget.value = ''
          }}
        />
      </label>
      {'clipboard' in navigator && <Button text={t.paste} onClick={() => void paste()} />}
      <Button text={t.trySample} look="ghost" onClick={() => void sample()} />
    </div>
  )
}
