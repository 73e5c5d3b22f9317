import { pianoAudioToMidi } from './piano-audio-to-midi.ts'
import type { OperationTables } from './tables.ts'

/** Document 2, 4.5, 7 and 8: all but the result is as of piano_audio_to_midi. */
export const pianoAudioEnhance: OperationTables = {
  ...pianoAudioToMidi,
  section: '2, 4.5',
  operation: 'piano_audio_enhance',
  result: {
    file_id: 'string',
    download_url: 'string',
    midi_file_id: 'string',
    midi_download_url: 'string',
  },
  resultAdditions: { ...pianoAudioToMidi.resultAdditions, piano: 'string' },
}
