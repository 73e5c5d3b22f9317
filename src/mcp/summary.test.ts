import { expect, test } from 'vitest'
import { summarizeData } from './summary.ts'

test('a completed task: state, files with paths, facts of the output, next step', () => {
  const output = {
    ...{ file_id: '7', midi_file_id: '8', notes_found: 12, pedal: false, notes: ['The tail is cut'] },
    slots: [
      { clip_index: 0, x: 0.5, crop: { x: 0 } },
      { clip_index: 1, x: 0, crop: null },
    ],
  }
  const files = [
    { file_id: '7', role: 'result', path: '/w/tune.wav', bytes: 2048, duration: 1.5 },
    { file_id: '8', role: 'midi', path: '/w/tune.mid', bytes: 90 },
  ]
  const head = { task_id: '1', task_type: 'piano_audio_enhance', status: 'completed', progress: 100 }
  expect(summarizeData({ ...head, next_step: 'Done. Notes: The tail is cut.', files, output })).toBe(
    [
      'piano_audio_enhance, completed, task_id 1',
      'File: /w/tune.wav (result, 2 KiB, 1.5 s)',
      'File: /w/tune.mid (midi, 90 bytes)',
      'notes_found: 12',
      'pedal: false',
      'slots:',
      '- clip_index 0, x 0.5, crop (x 0)',
      '- clip_index 1, x 0',
      'Next: Done. Notes: The tail is cut.',
    ].join('\n'),
  )
})

test('an unfinished task with its note, a failed one with its fix, an upload, and open questions', () => {
  const head = { task_id: '1', task_type: 'x', next_step: 'Wait.' }
  expect(summarizeData({ ...head, status: 'processing', progress: 3, note: 'downloading a model' })).toBe(
    'x, processing 3 %, task_id 1\nnote: downloading a model\nNext: Wait.',
  )
  const error = { code: 6021, message: 'no frame', hint: 'Convert it', retryable: false }
  expect(summarizeData({ ...head, status: 'failed', progress: 0, error })).toBe(
    'x, failed, task_id 1\nError: 6021: no frame. Fix: Convert it\nNext: Wait.',
  )
  const upload = { transfer_id: 'transfer-1', status: 'uploading', progress: 40, next_step: 'Wait.' }
  expect(summarizeData(upload)).toBe('uploading 40 %, transfer_id transfer-1\nNext: Wait.')
  expect(summarizeData({ ...head, status: 'completed', questions: [{ kind: 'x' }] })).toMatch(
    /\nNext: Wait\.\nQuestions: \[\{"kind":"x"\}\]$/,
  )
})

test('links of a remote client are listed with their names', () => {
  const files = [{ file_id: '7', role: 'result', name: 'a.mp4', bytes: 9, url: 'https://x.example/7' }]
  expect(summarizeData({ status: 'completed', files, next_step: 'Done.' })).toContain(
    'File: a.mp4: https://x.example/7 (result, 9 bytes, file_id 7)',
  )
})

test('long lists and texts are shortened, but never the next step', () => {
  const next_step = 'n'.repeat(3000)
  const rows = Array.from({ length: 100 }, (_, row) => ({ task_id: String(row), text: 'long '.repeat(200) }))
  const text = summarizeData({ rows, many: Array.from({ length: 50 }, (_, item) => item), next_step })
  expect(text.length).toBeLessThan(4200 + next_step.length)
  expect(text).toMatch(/and \d+ more lines in the structured content\nNext: n+$/)
  expect(summarizeData({ many: Array.from({ length: 50 }, (_, item) => item) })).toMatch(/, 19, and 30 more$/)
})

test('objects that contain others have a line for each entry, so that none is cut', () => {
  const shown = Array.from({ length: 20 }, (_, index) => ({
    ...{ id: `r${index}`, where: 'bottom centre', box: [0.123, 0.456, 0.789, 0.012] },
    ...{ start: index, end: index + 1.234, score: 0.98 },
  }))
  const text = summarizeData({ regions: { total: 25, shown, note: '5 more are in the list file.' } })
  for (const { id } of shown) expect(text).toContain(`\n- id ${id}, where bottom centre, box [0.123, `)
  expect(text).toMatch(
    /^regions\.total: 25\nregions\.shown:\n[^…]*\nregions\.note: 5 more are in the list file\.$/,
  )
  const media = { container: 'mov', video: { codec: 'h264' }, audio: [{ codec: 'aac' }, { codec: 'ac3' }] }
  expect(summarizeData({ media, frame: { at: 1 } })).toBe(
    [
      'media.container: mov',
      'media.video: codec h264',
      'media.audio:',
      '- codec aac',
      '- codec ac3',
      'frame: at 1',
    ].join('\n'),
  )
})

test('assumptions and notes are stated once: in the next step, else in a line of their own', () => {
  const data = { assumed: ['fps is 30.', 'a was read as b.'], output: { notes: ['Two cues were joined'] } }
  expect(summarizeData({ ...data, next_step: 'fps is 30. Wait.' })).toBe(
    'assumed: a was read as b.\nnotes: Two cues were joined\nNext: fps is 30. Wait.',
  )
  const next_step = 'fps is 30. a was read as b. Done. Notes: Two cues were joined.'
  expect(summarizeData({ ...data, next_step })).toBe(`Next: ${next_step}`)
})
