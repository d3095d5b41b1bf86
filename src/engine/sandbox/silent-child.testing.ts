// Silent child: a program that a test starts instead of a reader or a query, and that never gets ready.

setInterval(() => {}, 60_000)
