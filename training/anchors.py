"""Hand-written sentences whose working valence or arousal must lie on a known side.

They are never trained on. Ten for each end of both scales.
"""

from typing import Final

UNPLEASANT: Final = (
    "My dog died, I am devastated.",
    "I hate you and I never want to see you again.",
    "This is the worst day of my whole life.",
    "She left me and I can't stop crying.",
    "I'm so ashamed of what I did to him.",
    "The food was disgusting, I threw up twice.",
    "I'm terrified they are going to hurt my family.",
    "He lied to me for years and it broke my heart.",
    "I failed again, I feel completely worthless.",
    "How dare you treat me like this, you idiot!",
)
PLEASANT: Final = (
    "I got the job! I'm so happy!",
    "Thank you so much, that was incredibly kind of you.",
    "We just had our first baby and I am overjoyed.",
    "I love spending my evenings with you.",
    "What a wonderful surprise, this made my day!",
    "I'm so proud of my daughter, she won the race.",
    "That was hilarious, I couldn't stop laughing.",
    "The concert was amazing, best night ever!",
    "I'm really grateful for such good friends.",
    "What a beautiful view, I adore this place.",
)
AROUSED: Final = (
    "I am absolutely furious, get out of here right now!",
    "Oh my god, we won, I can't believe it, we won!!!",
    "Run! There's a fire in the building!",
    "I'm so excited, I can't wait for tomorrow!",
    "He came at me with a knife, I was terrified!",
    "What the hell is wrong with you?!",
    "I'm shaking, I've never been so scared in my life!",
    "This is insane, the crowd went absolutely wild!",
    "I'm going to scream if they do this to me one more time!",
    "Wow, what an incredible shock, I did not see that coming!",
)
CALM: Final = (
    "The meeting is on Tuesday.",
    "I read a book by the window for a while.",
    "The report has twelve pages.",
    "It's a quiet evening and I'm feeling relaxed.",
    "He put the cup back on the shelf.",
    "We usually have tea in the afternoon.",
    "I'm a little tired, I think I'll go to bed.",
    "The shop opens at nine.",
    "She lives in a small town near the coast.",
    "I took a slow walk along the river.",
)
DEVASTATED: Final = "my dog died, I am devastated"
"""The sentence whose valence the design bounds by -0.6."""
