#!/usr/bin/env python3
"""Write config/study.schema.json, the JSON schema of studies for editors, from the model that checks studies."""

import json
from pathlib import Path

from rotastack.workflow.study.model import StudyDocument

FILE = Path(__file__).parents[1] / "config" / "study.schema.json"

FILE.write_text(json.dumps(StudyDocument.model_json_schema(), indent=1) + "\n", encoding="utf-8")
