import { readConfig } from '../config/config.ts'
import { requireOption, type Command, type CommandCall } from './command.ts'
import type { LibraryCommandContext } from './manage-library.ts'

/** Commands that manage the library of licensed material of the service on this machine, whether it runs or not. */
export const libraryCommands = {
  add: {
    summary: 'import the media files of a folder into the library, or what changed since the last import',
    argument: 'folder',
    options: { licence: { type: 'string' }, attribution: { type: 'string' } },
    help: [
      ['--licence <text>', 'licence of the files, part of every search result'],
      ['--attribution <text>', 'whom to name as the source, part of every search result'],
    ],
    async run(call) {
      const { licence, attribution } = call.values
      const options = {
        path: call.args[0] ?? '',
        licence: requireOption('licence', licence),
        attribution: requireOption('attribution', attribution),
      }
      await run(call, async (context) => await (await load()).addFolder(context, options))
    },
  },
  list: {
    summary: 'list the folders of the library with their licence and number of materials',
    run: async (call) => await run(call, async (context) => await (await load()).listFolders(context)),
  },
  remove: {
    summary: 'remove a folder from the library, not from the disk; materials found before stay available',
    argument: 'folder',
    run: async (call) =>
      await run(
        call,
        async (context) => await (await load()).removeFolderByPath(context, call.args[0] ?? ''),
      ),
  },
} as const satisfies Record<string, Command>

async function load() {
  return await import('./manage-library.ts')
}

async function run(
  { values, io }: CommandCall,
  command: (context: LibraryCommandContext) => Promise<void>,
): Promise<void> {
  const { withPlainErrors } = await load()
  const config = await readConfig({ dataDir: values['data-dir'], environment: io.environment })
  await withPlainErrors(config, () => command({ config, io }))
}
