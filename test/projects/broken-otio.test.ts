import { rejectsBroken } from './broken-file.ts'
import { readOtio } from './readers/otio.ts'

rejectsBroken('OTIO', [
  {
    file: 'otio/simple_cut.otio',
    read: readOtio,
    breaks: [
      ['text that is no JSON', [['"metadata": {},', '"metadata": {}']], 'syntax file'],
      ['another schema of the timeline', [['Timeline.1', 'Timeline.2']], 'value OTIO_SCHEMA'],
      ['a track of no kind', [['"kind": "Video",', '']], 'value tracks/children/0/kind'],
      [
        'an unknown field',
        [['"kind": "Video",', '"kind": "Video", "muted": false,']],
        'value tracks/children/0',
      ],
      [
        'a clip of an unknown version',
        [['Clip.1', 'Clip.3']],
        'value tracks/children/0/children/0/OTIO_SCHEMA',
      ],
      [
        'a clip of version 2 with one reference',
        [['Clip.1', 'Clip.2']],
        'value tracks/children/0/children/0',
      ],
      [
        'a reference without URL',
        [['"target_url": "file:///folder/titles.mov",', '']],
        'value tracks/children/0/children/0/media_reference/target_url',
      ],
      [
        'a reference without range',
        [['"available_range": {', '"available_range": null, "old": {']],
        'value tracks/children/0/children/0/media_reference',
      ],
      ['a fraction of a frame', [['"value": 6', '"value": 6.5']], 'frames tracks/children/0/children/1'],
      [
        'a rounded rate',
        [['"rate": 24,\r\n                "value": 6', '"rate": 29.97,\n                "value": 6']],
        'frames tracks/children/0/children/1: rate 29.97',
      ],
      [
        'a duration between frames of the timeline',
        [['"rate": 24,\r\n                "value": 6', '"rate": 25,\n                "value": 6']],
        'frames tracks/children/0/children/1: 6/25 s',
      ],
      [
        'a clip past the end of its media',
        [['"value": 6', '"value": 7']],
        'media-end video track 1 clip 2 (Clip-002)',
      ],
      [
        'a clip before the start of its media',
        [
          [
            '"value": 3\r\n              }\r\n            }\r\n          },',
            '"value": -1\n              }\n            }\n          },',
          ],
        ],
        'range video track 1 clip 1 (Clip-001): in point',
      ],
      ['an empty clip', [['"value": 6', '"value": 0']], 'range video track 1 clip 2'],
      [
        'two ranges of one file',
        [['file:///folder/credits.mov', 'file:///folder/titles.mov']],
        'reference tracks/children/0/children/3',
      ],
      ['an unencoded path', [['titles.mov', 'my titles.mov']], 'path tracks/children/0/children/0'],
    ],
  },
  {
    file: 'otio/multitrack.otio',
    read: readOtio,
    breaks: [
      ['clips without media', [], 'path tracks/children/0/children/0: the clip has no ExternalReference'],
    ],
  },
])
