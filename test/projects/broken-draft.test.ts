import { rejectsBroken } from './broken-file.ts'
import { readDraft } from './readers/draft.ts'

rejectsBroken('draft', [
  {
    file: 'draft/draft_content.json',
    read: readDraft,
    breaks: [
      [
        'a sound with a clip',
        [],
        'value segment bbbbbb01-0000-0000-0000-000000000001: clip of a sound must be null',
      ],
    ],
  },
  {
    file: 'draft/draft_content.json',
    read: readDraft,
    tolerate: ['value segment bbbbbb01', 'media-end video track 1 clip 1'],
    breaks: [['a range of text in bytes', [], 'text-range text mat-text-01: [0, 28] of 14 UTF-16 units']],
  },
  {
    file: 'draft/draft_content.json',
    read: readDraft,
    tolerate: ['value segment bbbbbb01', 'text-range'],
    breaks: [['a clip past the end of its material', [], 'media-end video track 1 clip 1 (intro-clip.mp4)']],
  },
  {
    file: 'draft/draft_content.json',
    read: readDraft,
    tolerate: ['value segment bbbbbb01', 'text-range', 'media-end video track 1 clip 1'],
    breaks: [
      ['segments that overlap', [['"start": 5000000', '"start": 4900000']], 'overlap segment aaaaaa02'],
      [
        'source and target that disagree',
        [['"duration": 7500000', '"duration": 7400000']],
        'speed segment aaaaaa01',
      ],
      [
        'a speed that its material does not have',
        [['"speed": 1.5,\n      ', '"speed": 1.25,\n      ']],
        'speed segment aaaaaa01',
      ],
      [
        'a speed without material',
        [['"extra_material_refs": [\n            "mat-speed-01"\n          ]', '"extra_material_refs": []']],
        'reference segment aaaaaa01',
      ],
      [
        'a segment of no material',
        [['"material_id": "mat-video-02"', '"material_id": "mat-video-09"']],
        'reference segment aaaaaa02',
      ],
      [
        'a segment of a sound on a video track',
        [['"material_id": "mat-video-02"', '"material_id": "mat-audio-01"']],
        'reference segment aaaaaa02',
      ],
      [
        'an extra material that is missing',
        [['"extra_material_refs": []', '"extra_material_refs": ["x"]']],
        'reference segment aaaaaa02',
      ],
      ['a picture without clip', [['"clip": {', '"clip": null, "other": {']], 'value segment aaaaaa01'],
      ['a time between frames', [['"start": 700000', '"start": 710000']], 'frames segment cccccc01'],
      [
        'a time in fractions',
        [['"start": 700000', '"start": 700000.5']],
        'value tracks/2/segments/0/target_timerange/start',
      ],
      ['a draft that ends early', [['"duration": 10000000', '"duration": 9000000']], 'sequence-end duration'],
      [
        'an id that is used twice',
        [['"id": "mat-video-02"', '"id": "mat-video-01"']],
        'duplicate id mat-video-01',
      ],
      [
        'a text of no material',
        [['"material_id": "mat-text-02"', '"material_id": "mat-text-09"']],
        'reference text mat-text-09',
      ],
    ],
  },
])
