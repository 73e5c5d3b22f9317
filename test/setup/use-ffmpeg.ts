import { inject } from 'vitest'
import { useFfmpeg } from '../../src/engines/ffmpeg/locate.ts'

// As the run has found it, unless a path is set: then each looks at that one itself.
const found = inject('ffmpeg')
if (found !== null && process.env['REELWRIGHT_FFMPEG'] === undefined) useFfmpeg(found)
