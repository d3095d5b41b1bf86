// Exit with parent: how long a process for DuckDB lives, seen from inside: as long as its parent. Knows nothing of its work.

/** Ties this process to the one that started it. */
export function exitWithParent(): void {
  // Without its parent it has nobody to work for, and nothing to tidy up.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  // systemd stops every process of a service at once: uploads are to finish first, and for that the service needs its children.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
}
