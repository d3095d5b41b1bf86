// Download link: something to save, in a menu; with a key, it is fetched with that.
import { currentKey, download } from '../api.ts'

type DownloadLinkProps = Readonly<Record<'name' | 'address' | 'fileName', string>> & { readonly size?: string }

export function DownloadLink({ name, address, fileName, size = '' }: DownloadLinkProps) {
  const content = (
    <>
      {name} {size !== '' && <span class="quiet small">{size}</span>}
    </>
  )
  if (currentKey() === null) {
    return (
      <a class="button" href={address} download={fileName} onClick={closeMenu}>
        {content}
      </a>
    )
  }
  return (
    <button
      type="button"
      onClick={(event) => {
        closeMenu(event)
        void download(address, fileName)
      }}
    >
      {content}
    </button>
  )
}

/** The one that it stands in, if any. */
function closeMenu({ currentTarget }: { readonly currentTarget: HTMLElement }): void {
  currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
}
