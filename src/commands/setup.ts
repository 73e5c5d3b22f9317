import type { Command } from './command.ts'

export const setup: Command = {
  summary: 'install the models and engines that most operations need, and list how to install the others',
  async run({ values, io }) {
    const { readPackContext, setUpPacks } = await import('./manage-packs.ts')
    return await setUpPacks(await readPackContext(values['data-dir'], io))
  },
}
