// serve: the command that runs the service, as shown in help, completion and docs. src/cli/serve.ts runs it.
import { optionHelp } from '../../../config/option-help.ts'
import type { CommandHelp } from '../../command.ts'

export const serveHelp: CommandHelp = {
  name: 'serve',
  summary: 'run the service until a signal',
  usage: '[options]',
  about:
    'Runs in the foreground. Precedence of options: command line, CSV_UPLOAD_* variables, --config file. SIGTERM or Ctrl-C lets uploads finish; a second one stops at once.',
  options: optionHelp().map(({ flag, fallback, help }) => ({
    flag: flag as `--${string}`, // every flag in config begins so
    value: '<value>',
    fallback,
    help,
    values: [],
  })),
  examples: [{ line: 'csv-upload serve --port 9000 --data /var/lib/csv-upload', what: 'Another port and directory.' }],
  completes: 'nothing',
}
