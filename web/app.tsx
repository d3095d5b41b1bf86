// App: the frame of every view: top bar with theme and language, drop and paste anywhere. Knows which address shows which view.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { lookAtCaller, useCaller } from './caller.ts'
import { count } from './format.ts'
import { Button } from './parts/controls.tsx'
import { KeyForm } from './parts/key-form.tsx'
import { NoticePlace } from './parts/notice.tsx'
import { goTo, type Route, useRoute } from './router.ts'
import { language, switchLanguage, t } from './texts.ts'
import { currentTheme, switchTheme } from './theme.ts'
import { droppedFiles, pastedFile } from './upload/chosen-files.ts'
import { useEvents, useLive } from './upload/live.ts'
import { queue } from './upload/upload-queue.ts'
import { Dataset } from './views/dataset/dataset.tsx'
import { Home } from './views/home/home.tsx'
import { Trash } from './views/trash/trash.tsx'
import { Tray } from './views/tray/tray.tsx'

export function App() {
  const route = useRoute()
  const isDragging = useDrop()
  usePaste()
  const { keyCount, isRefused } = useCaller()
  useEvents()
  useLayoutEffect(() => void lookAtCaller(), [])
  useLayoutEffect(() => {
    if (route.view !== 'dataset') document.title = t.title
  }, [route])
  useFocusOnView(route)
  return (
    <>
      <a class="skip" href="#main">
        {t.skip}
      </a>
      <TopBar view={route.view} />
      <main id="main" tabIndex={-1} key={keyCount}>
        {isRefused && (
          <div class="page">
            <KeyForm />
          </div>
        )}
        {route.view === 'home' && <Home query={route.query} />}
        {route.view === 'trash' && <Trash />}
        {route.view === 'dataset' && <Dataset key={route.id} id={route.id} tab={route.tab} query={route.query} />}
        {route.view === 'unknown' && (
          <div class="empty">
            <h1>{t.notFound}</h1>
            <a href="#/">{t.back}</a>
          </div>
        )}
      </main>
      <NoticePlace />
      <Tray />
      {isDragging && <div class="drop-cover">{t.dropNow}</div>}
    </>
  )
}

function TopBar({ view }: { readonly view: Route['view'] }) {
  const { isLive } = useLive()
  const { caller } = useCaller()
  const [theme, setTheme] = useState(currentTheme)
  return (
    <header class="top">
      <a class="brand" href="#/" aria-label={t.home}>
        <svg viewBox="0 0 22 16" aria-hidden="true">
          <rect y="5" width="22" height="6" rx="1" fill="var(--plot)" />
          <rect y="5" width="3" height="6" fill="var(--text)" />
          <rect x="13" y="1" width="3" height="14" fill="var(--warn-mark)" />
        </svg>
        <span>{t.title}</span>
      </a>
      {view !== 'home' && (
        <nav class="crumbs" aria-label={t.where}>
          <a href="#/">{t.datasets}</a>
        </nav>
      )}
      <nav class="top-links" aria-label={t.service}>
        <span class={isLive ? 'live' : 'live lost'}>{isLive ? t.live : t.reconnecting}</span>
        <a href="#/trash" aria-current={view === 'trash' ? 'page' : undefined}>
          {t.trash} {caller && <span class="small">{count(caller.trash.datasets)}</span>}
        </a>
        <a href="/docs/tutorial">{t.docs}</a>
        <Button text={t.theme[theme]} icon={theme} look="ghost icon-only" onClick={() => setTheme(switchTheme())} />
        <button type="button" class="btn ghost" aria-label={t.otherLanguage} onClick={switchLanguage}>
          {language.toUpperCase()}
        </button>
      </nav>
    </header>
  )
}

/** Whoever comes to another view begins at its top, with the focus in it; the start page knows its own place. */
function useFocusOnView(route: Route): void {
  const place = route.view === 'dataset' ? route.id : route.view
  const last = useRef(place)
  useLayoutEffect(() => {
    if (last.current === place) return
    last.current = place
    const main = document.querySelector('main')
    if (route.view !== 'home') main?.scrollTo(0, 0)
    if (main?.contains(document.activeElement) === false) main.focus({ preventScroll: true })
  }, [place])
}

function useDrop(): boolean {
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
      if (event.dataTransfer === null) return
      const { files, folders } = droppedFiles(event.dataTransfer)
      void queue.add(files, folders)
      goTo('#/')
    }
    const listening = new AbortController()
    addEventListener('dragover', onOver, listening)
    addEventListener('dragleave', onLeave, listening)
    addEventListener('drop', onDrop, listening)
    return () => listening.abort()
  }, [])
  return isDragging
}

/** Takes pasted files, and pasted text with more than one line as a file. */
function usePaste(): void {
  useLayoutEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return
      const files = [...(event.clipboardData?.files ?? [])]
      const text = event.clipboardData?.getData('text') ?? ''
      if (files.length === 0 && !text.includes('\n')) return
      event.preventDefault()
      void queue.add(files.length > 0 ? files : [pastedFile(text)])
      goTo('#/')
    }
    addEventListener('paste', onPaste)
    return () => removeEventListener('paste', onPaste)
  }, [])
}
