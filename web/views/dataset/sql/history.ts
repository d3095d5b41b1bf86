// History: the statements that were run in this tab, the latest first. Knows no element.

const historyMax = 20
const storageName = 'sql-history'

export function readHistory(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageName) ?? '[]')
    return Array.isArray(stored) ? stored.map(String) : []
  } catch {
    return []
  }
}

export function remember(statement: string): readonly string[] {
  const history = [statement, ...readHistory().filter((one) => one !== statement)].slice(0, historyMax)
  sessionStorage.setItem(storageName, JSON.stringify(history))
  return history
}
