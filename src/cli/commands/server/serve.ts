// serve: the service's own command as shown in help, completion and docs. How it runs is in src/cli/serve.ts.
import { optionHelp } from '../../../config/option-help.ts'
import type { CommandHelp } from '../../command.ts'

export const serveHelp: CommandHelp = {
  name: 'serve',
  summary: 'run the service until a signal',
  usage: '[options]',
  about:
    'Serves in the foreground. First the command line holds, then CSV_UPLOAD_* variables, then the --config file. SIGTERM or Ctrl-C lets uploads finish; a second one stops at once.',
  options: optionHelp().map(({ flag, fallback, help }) => ({
    flag: flag as `--${string}`, // every flag of config is spelled so
    value: '<value>',
    fallback,
    help,
    values: [],
  })),
  examples: [{ line: 'csv-upload serve --port 9000 --data /var/lib/csv-upload', what: 'Another port and directory.' }],
  completes: 'nothing',
}
