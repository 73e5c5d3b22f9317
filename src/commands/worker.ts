import type { Command } from './command.ts'

/** Runs task attempts for the service that started this process; hidden from the help. */
export const worker: Command = {
  options: { ffmpeg: { type: 'string' }, packs: { type: 'string' } },
  async run({ values: { ffmpeg, packs } }) {
    const { runWorkerProcess } = await import('../service/engine-settings.ts')
    await runWorkerProcess({ ffmpeg, packs })
  },
}
