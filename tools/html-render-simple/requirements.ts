import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { htmlRenderSimple } from './contract.ts'
import { schedule } from './schedule.ts'

/** Encoders of ffmpeg beyond those that every operation uses, by output format. */
const encoders = { mp4: [], webm: ['libvpx'], qtrle: ['qtrle'] } as const

/** Chromium, the encoder of the output format, and tone mapping for an HDR base video. */
export const requirements: OperationRequirements<typeof htmlRenderSimple> = (input, files) => {
  const { output_format = 'mp4' } = input?.render ?? {}
  const names = encoders[output_format]
  const because = `output_format is ${output_format}`
  const base = input && files && schedule(input, files).base
  return [
    { kind: 'ffmpeg' },
    { kind: 'chromium' },
    ...(names.length > 0
      ? [{ kind: 'ffmpeg-encoders', names, because, instead: 'ask for mp4' } as const]
      : []),
    ...(base?.video.hdr ? [{ kind: 'tone-mapping', file: base.file.name } as const] : []),
  ]
}
