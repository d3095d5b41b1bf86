// App: the frame of every view: header, drop and paste anywhere, language. Knows which address shows which view.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { lookAtCaller, useCaller } from './caller.ts'
import { KeyForm } from './parts/key-form.tsx'
import { useRoute } from './router.ts'
import { chooseLanguage, type Language, language, languageNames, t } from './texts.ts'
import { droppedFiles, plainFiles } from './upload/chosen-files.ts'
import { UploadQueue } from './upload/upload-queue.ts'
import { BackLink, Dataset } from './views/dataset/dataset.tsx'
import { Home } from './views/home/home.tsx'

export function App() {
  const route = useRoute()
  const queue = useMemo(() => new UploadQueue(), [])
  const isDragging = useDrop(queue)
  usePaste(queue)
  const { keyCount, isRefused } = useCaller()
  useLayoutEffect(() => void lookAtCaller(), [])
  useLayoutEffect(() => {
    if (route.view !== 'dataset') document.title = t.title
  }, [route])
  return (
    <>
      <a class="skip" href="#main">
        {t.skip}
      </a>
      <header>
        <a href="#/" class="brand">
          {t.title}
        </a>
        <nav class="row">
          <a href="/docs/tutorial">{t.docs}</a>
          <LanguageChoice />
        </nav>
      </header>
      <main id="main" tabIndex={-1} key={keyCount}>
        {isRefused && <KeyForm />}
        {route.view === 'home' && <Home queue={queue} />}
        {route.view === 'dataset' && <Dataset id={route.id} tab={route.tab} query={route.query} />}
        {route.view === 'unknown' && (
          <>
            <BackLink />
            <h1>{t.notFound}</h1>
          </>
        )}
      </main>
      {isDragging && <div class="drop-cover">{t.dropNow}</div>}
    </>
  )
}

function LanguageChoice() {
  return (
    <select
      class="small"
      aria-label={t.language}
      value={language}
      onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as Language)}
    >
      {Object.entries(languageNames).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  )
}

function useDrop(queue: UploadQueue): boolean {
  const [isDragging, setDragging] = useState(false)
  useLayoutEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setDragging(true)
    }
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setDragging(false)
    }
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setDragging(false)
      if (event.dataTransfer !== null) void droppedFiles(event.dataTransfer).then((chosen) => queue.add(chosen))
      location.hash = '#/'
    }
    const listening = new AbortController()
    addEventListener('dragover', onOver, listening)
    addEventListener('dragleave', onLeave, listening)
    addEventListener('drop', onDrop, listening)
    return () => listening.abort()
  }, [queue])
  return isDragging
}

/** Takes pasted files, and pasted text with more than one line as a file. */
function usePaste(queue: UploadQueue): void {
  useLayoutEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return
      const files = [...(event.clipboardData?.files ?? [])]
      const text = event.clipboardData?.getData('text') ?? ''
      if (files.length === 0 && !text.includes('\n')) return
      event.preventDefault()
      void queue.add(plainFiles(files.length > 0 ? files : [new File([text], 'pasted.csv', { type: 'text/csv' })]))
      location.hash = '#/'
    }
    addEventListener('paste', onPaste)
    return () => removeEventListener('paste', onPaste)
  }, [queue])
}
