import type { Command, CommandCall } from './command.ts'
import type { PackContext } from './manage-packs.ts'

/** Commands that manage the models and engines of the data folder. */
export const modelsCommands = {
  list: {
    summary: 'list models and engines with their state, purpose and size, and operations that miss any',
    run: async (call) => await (await load()).listPacks(await packContext(call)),
  },
  pull: {
    summary: 'download models or engines, or repair them; an interrupted download resumes',
    argument: 'name…',
    run: async (call) => await (await load()).pullPacks(await packContext(call), call.args),
  },
  verify: {
    summary: 'read every installed model and engine, and report damaged ones',
    run: async (call) => await (await load()).verifyPacks(await packContext(call)),
  },
  remove: {
    summary: 'remove the downloaded files of a model or engine',
    argument: 'name',
    run: async (call) => await (await load()).removePackFiles(await packContext(call), call.args[0] ?? ''),
  },
} as const satisfies Record<string, Command>

async function load() {
  return await import('./manage-packs.ts')
}

async function packContext({ values, io }: CommandCall): Promise<PackContext> {
  const { readPackContext } = await import('./manage-packs.ts')
  return await readPackContext(values['data-dir'], io)
}
