// The stages that have run: what each made, with which settings, on which revisions of the stages before it.
MATCH (stage:QcgStage)
RETURN stage.name AS name, stage.revision AS revision, stage.settings AS settings, stage.basis AS basis,
       stage.figures AS figures, toString(stage.finishedAt) AS finishedAt
ORDER BY name
