// Download link: something to save; with a key, it is fetched with that.
import { currentKey, download } from '../api.ts'

interface DownloadLinkProps {
  readonly name: string
  readonly address: string
  readonly fileName: string
}

export function DownloadLink({ name, address, fileName }: DownloadLinkProps) {
  if (currentKey() === null) {
    return (
      <a class="button" href={address} download={fileName}>
        {name}
      </a>
    )
  }
  return (
    <button type="button" onClick={() => void download(address, fileName)}>
      {name}
    </button>
  )
}
