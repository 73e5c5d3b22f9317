import { inject } from 'vitest'
import { useFfmpeg } from '../../src/engines/ffmpeg/locate.ts'

// Uses the ffmpeg located for the run, unless a path is configured.
const found = inject('ffmpeg')
if (found !== null && process.env['REELWRIGHT_FFMPEG'] === undefined) useFfmpeg(found)
