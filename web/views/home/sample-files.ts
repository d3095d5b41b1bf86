// Sample files: a messy export, made in the browser for whoever has no file at hand.

const cities = ['Osaka', 'Zürich', 'Berlin', 'Łódź', 'Porto', 'Κέρκυρα']
const names = ['Łukasz Wójcik', '佐藤 陽菜', 'Siân O’Hara', 'Νίκος Παπαδόπουλος', 'Ольга Иванова', 'محمد العلي']
const rowCount = 2_000
/** Records without their last field, and with one more. */
const faultEvery = [173, 311] as const

/** Orders with leading zeros, dates, amounts, a column that is mostly empty, and some broken records. */
export function sampleFile(): File {
  const lines = Array.from({ length: rowCount }, (_, at) => {
    const day = String(1 + (at % 28)).padStart(2, '0')
    const amount = (5 + ((at * 7_919) % 50_000) / 100).toFixed(2)
    const note = at % 10 === 3 ? '"urgent, call first"' : ''
    const record = `${String(at * 7).padStart(6, '0')},${names[at % 6]},${cities[(at * 5) % 6]},2026-11-${day},${amount}`
    if (at % faultEvery[0] === 60) return record
    return at % faultEvery[1] === 99 ? `${record},${note},?` : `${record},${note}`
  })
  return new File([`order,customer,city,placed,amount,note\n${lines.join('\n')}\n`], 'orders.csv', { type: 'text/csv' })
}
