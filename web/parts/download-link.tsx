// Download link: something to save; with a key, it is fetched with that.
import { currentKey, download } from '../api.ts'

export function DownloadLink({ name, address, fileName }: Readonly<Record<'name' | 'address' | 'fileName', string>>) {
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
